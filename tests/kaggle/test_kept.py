"""An archive outlives the machine that downloaded it: in the private store, until its competition is prepared."""

from __future__ import annotations

from pathlib import Path

import pytest

import catalog
from orchestrator.storage.layout import archive
from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store
from orchestrator.worker.failure import WorkerFailure
from orchestrator.worker.fetch import fetch
from orchestrator.worker.kaggle import ChecksumMismatch, download
from orchestrator.worker.kept_archive import KeptArchive
from tests.kaggle.standin import StandIn, make_zip, md5

pytestmark = pytest.mark.usefixtures("account")

FILES = {"train.csv": b"id,y\n" + b"1,2\n" * 5_000, "test.csv": b"id\n"}
ARCHIVE = make_zip(FILES)


@pytest.fixture
def tides(kaggle: StandIn, in_catalog):
    in_catalog("tides", zip=md5(ARCHIVE))
    return kaggle.host("tides", ARCHIVE)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store((tmp_path / "private").as_uri())


@pytest.fixture
def kept(store: Store) -> KeptArchive:
    return KeptArchive(store, "tides")


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_another_machine_goes_on_from_what_one_downloaded(kaggle: StandIn, tides, kept, store, tmp_path: Path):
    told: list[str] = []
    download("tides", tmp_path / "first" / "raw", kept=kept, progress=lambda step, done, total: told.append(step))
    assert store.read(archive("tides")) == ARCHIVE
    assert list(dict.fromkeys(told)) == ["download", "verify", "keep", "unpack"]
    kaggle.calls.clear()

    download("tides", tmp_path / "second" / "raw", kept=kept)

    assert kaggle.calls == []
    assert content(tmp_path / "second" / "raw") == FILES


def test_what_was_kept_is_verified_and_forgotten_if_it_is_another(kaggle: StandIn, tides, kept, store, raw: Path):
    store.write(archive("tides"), make_zip({"train.csv": b"forged"}))
    with pytest.raises(ChecksumMismatch):
        download("tides", raw, kept=kept)
    assert store.stat(archive("tides")) is None
    download("tides", raw, kept=kept)
    assert content(raw) == FILES


def test_an_archive_that_can_t_be_unpacked_is_not_kept_for_the_next_try(kaggle: StandIn, in_catalog, kept, store, raw):
    in_catalog("tides")
    kaggle.host("tides", b"this is no archive")
    with pytest.raises(Exception, match="can't be unpacked"):
        download("tides", raw, kept=kept)
    assert store.stat(archive("tides")) is None


def test_rules_that_nobody_accepted_are_one_sentence_and_no_reason_to_try_again(
    kaggle: StandIn, in_catalog, kept, store, raw: Path
):
    in_catalog("tides")
    kaggle.host("tides", ARCHIVE, joined=False)
    with pytest.raises(WorkerFailure, match="rules of tides are not accepted yet: join it at https://") as failure:
        fetch(catalog.load("tides"), raw, kept=kept)
    assert not failure.value.try_again
    assert list(store.keys("")) == []
    assert ("GET", "tides") not in kaggle.asked, "not a byte was fetched"
