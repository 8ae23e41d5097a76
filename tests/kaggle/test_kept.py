"""An archive outlives the machine that downloads it: in the private store, until its competition is prepared."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import catalog
from orchestrator.storage.bucket import Bucket, Credentials
from orchestrator.storage.layout import ARCHIVE_NOTE, archive_prefix
from orchestrator.storage.open import open_store
from orchestrator.storage.s3 import S3Store
from orchestrator.storage.store import Store
from orchestrator.worker.failure import WorkerFailure
from orchestrator.worker.fetch import fetch
from orchestrator.worker.kaggle import ChecksumMismatch, DiskFull, OutOfReach, download
from orchestrator.worker.kaggle.kept import KeptArchive
from tests.kaggle.standin import StandIn, make_zip, md5
from tests.s3server import OWNER, S3Server

pytestmark = pytest.mark.usefixtures("account")

PART = 1000
FILES = {"train.csv": b"id,y\n" + b"".join(b"%d,2\n" % row for row in range(3_000)), "test.csv": b"id\n"}
ARCHIVE = make_zip(FILES)
ABOUT = f"{archive_prefix('tides')}/{ARCHIVE_NOTE}"


@pytest.fixture
def tides(kaggle: StandIn, in_catalog):
    in_catalog("tides", zip=md5(ARCHIVE))
    return kaggle.host("tides", ARCHIVE)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store((tmp_path / "private").as_uri())


@pytest.fixture
def kept(store: Store) -> Callable[[], KeptArchive]:
    """What each pod has: it knows only what is in the store."""
    return lambda: KeptArchive(store, "tides", PART)


@pytest.fixture(scope="module")
def bucket() -> Iterator[Store]:
    with S3Server.start() as server:
        server.make_bucket("private")
        yield S3Store(Bucket("private", server.endpoint, "us-east-1", Credentials(OWNER.access_key, OWNER.secret_key)))


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def parts(store: Store) -> list[str]:
    return [key for key in store.keys(f"{archive_prefix('tides')}/") if key != ABOUT]


def kept_bytes(store: Store) -> bytes:
    return b"".join(store.read(key) or b"" for key in parts(store))


def test_another_machine_goes_on_from_what_one_downloaded(kaggle: StandIn, tides, kept, store, tmp_path: Path):
    told: list[str] = []
    download("tides", tmp_path / "first" / "raw", kept=kept(), progress=lambda step, done, total: told.append(step))
    assert kept_bytes(store) == ARCHIVE
    assert list(dict.fromkeys(told)) == ["download", "verify", "keep", "unpack"]
    kaggle.calls.clear()

    download("tides", tmp_path / "second" / "raw", kept=kept())

    assert kaggle.calls == []
    assert content(tmp_path / "second" / "raw") == FILES


@pytest.mark.parametrize("place", ["a folder", "a bucket"])
def test_a_download_that_was_cut_off_goes_on_in_the_next_pod_from_the_last_whole_part(
    kaggle: StandIn, tides, store: Store, bucket: Store, tmp_path: Path, place: str
):
    private = bucket if place == "a bucket" else store
    for pod in ("first", "second"):
        tides.cuts = 1
        with pytest.raises(OutOfReach):
            download("tides", tmp_path / pod / "raw", kept=KeptArchive(private, "tides", PART), waits=())
    told: list[int] = []

    download(
        "tides",
        tmp_path / "third" / "raw",
        kept=KeptArchive(private, "tides", PART),
        waits=(),
        progress=lambda step, done, total: told.append(done) if step == "download" else None,
    )

    half = len(ARCHIVE) // 2 // PART * PART
    rest = (half + (len(ARCHIVE) - half) // 2) // PART * PART
    assert [call.range for call in kaggle.transfers] == [None, f"bytes={half}-", f"bytes={rest}-"]
    assert content(tmp_path / "third" / "raw") == FILES
    assert (told[0], told[-1]) == (PART, len(ARCHIVE)), "what is brought back counts as progress"
    assert kept_bytes(private) == ARCHIVE
    KeptArchive(private, "tides", PART).forget()
    assert list(private.keys("")) == []


KILLED_HALF_WAY = """
import os, signal, sys
from pathlib import Path
from orchestrator.storage.open import open_store
from orchestrator.worker.kaggle import download
from orchestrator.worker.kaggle.kept import KeptArchive

def die(step, done, total):
    if done > total / 2:
        os.kill(os.getpid(), signal.SIGKILL)

raw, private, part = sys.argv[1:]
download("tides", Path(raw), kept=KeptArchive(open_store(private), "tides", int(part)), progress=die)
"""


def test_a_pod_that_is_killed_loses_only_what_came_since_its_last_part(
    kaggle: StandIn, in_catalog, store: Store, tmp_path: Path
):
    files, part = {"train.bin": os.urandom(8 << 20)}, 1 << 19
    archive = make_zip(files)
    in_catalog("tides", zip=md5(archive))
    kaggle.host("tides", archive)
    argv = [sys.executable, "-c", KILLED_HALF_WAY, str(tmp_path / "first" / "raw"), store.url, str(part)]
    killed = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(tmp_path / "site-packages")}, timeout=60)
    assert killed.returncode == -signal.SIGKILL

    download("tides", tmp_path / "second" / "raw", kept=KeptArchive(store, "tides", part))

    (start,) = (int((call.range or "bytes=0-")[6:-1]) for call in kaggle.transfers[1:])
    assert start >= len(archive) // 2 - (1 << 20) - part, "a chunk of at most a mebibyte, and a part"
    assert start % part == 0
    assert content(tmp_path / "second" / "raw") == files


def test_parts_are_kept_while_the_download_goes_on_and_the_last_when_all_is_verified(tides, kept, store, raw: Path):
    seen: dict[str, int] = {}
    download("tides", raw, kept=kept(), progress=lambda step, done, total: seen.setdefault(step, len(parts(store))))
    whole = len(ARCHIVE) // PART
    assert seen == {"download": 0, "verify": whole, "keep": whole, "unpack": whole + 1}


def cut_off(tides, kept: KeptArchive, folder: Path) -> None:
    tides.cuts = 1
    with pytest.raises(OutOfReach):
        download("tides", folder / "raw", kept=kept, waits=())


@pytest.mark.parametrize("tag", ['"2"', '"1"'], ids=["another tag", "another size under the same tag"])
def test_an_archive_that_changed_since_is_fetched_anew_and_the_old_parts_go(
    kaggle: StandIn, tides, kept, store, raw: Path, tmp_path: Path, tag: str
):
    tides.archive = b"x" * (len(ARCHIVE) + PART)
    cut_off(tides, kept(), tmp_path / "first")
    old = parts(store)
    assert old
    tides.archive, tides.etag = ARCHIVE, tag

    download("tides", raw, kept=kept(), waits=())

    assert content(raw) == FILES
    assert kept_bytes(store) == ARCHIVE
    assert not set(old) & set(parts(store))


def test_without_a_tag_to_compare_only_a_whole_archive_is_kept(kaggle: StandIn, tides, kept, store, tmp_path: Path):
    tides.etag = 'W/"about the same"'
    cut_off(tides, kept(), tmp_path / "first")
    assert list(store.keys("")) == []
    download("tides", tmp_path / "second" / "raw", kept=kept(), waits=())
    assert kept_bytes(store) == ARCHIVE
    kaggle.calls.clear()
    download("tides", tmp_path / "third" / "raw", kept=kept(), waits=())
    assert kaggle.calls == []
    store.delete(parts(store)[-1])
    download("tides", tmp_path / "fourth" / "raw", kept=kept(), waits=())
    assert [call.range for call in kaggle.transfers] == [None]


@pytest.mark.parametrize("damage", ["missing", "too short", "too long"])
def test_a_download_goes_on_from_before_the_first_part_that_is_not_as_it_must_be(
    kaggle: StandIn, tides, kept, store, raw: Path, tmp_path: Path, damage: str
):
    download("tides", tmp_path / "first" / "raw", kept=kept())
    third = parts(store)[2]
    data = store.read(third) or b""
    store.delete(third)
    if damage != "missing":
        store.write(third, data[:-1] if damage == "too short" else data + b"x")
    kaggle.calls.clear()

    download("tides", raw, kept=kept())

    assert [call.range for call in kaggle.transfers] == [f"bytes={2 * PART}-"]
    assert content(raw) == FILES


def test_there_must_be_room_for_the_archive_before_any_of_it_is_brought_back(tides, kept, store, raw: Path):
    store.write(ABOUT, json.dumps({"validator": '"1"', "total": 10**18}).encode())
    with pytest.raises(DiskFull, match="no room for the archive of tides"):
        download("tides", raw, kept=kept())


def test_a_note_that_can_t_be_read_is_no_note(tides, kept, store, raw: Path):
    store.write(ABOUT, b"{")
    download("tides", raw, kept=kept())
    assert content(raw) == FILES
    assert kept_bytes(store) == ARCHIVE


def test_what_was_kept_is_verified_and_forgotten_if_it_is_another(kaggle: StandIn, tides, kept, store, raw, tmp_path):
    download("tides", tmp_path / "first" / "raw", kept=kept())
    first = parts(store)[0]
    store.write(first, b"x" * PART)
    with pytest.raises(ChecksumMismatch):
        download("tides", raw, kept=kept())
    assert list(store.keys("")) == []
    download("tides", raw, kept=kept())
    assert content(raw) == FILES


def test_an_archive_that_can_t_be_unpacked_is_not_kept_for_the_next_try(kaggle: StandIn, in_catalog, kept, store, raw):
    in_catalog("tides")
    kaggle.host("tides", b"this is no archive")
    with pytest.raises(Exception, match="can't be unpacked"):
        download("tides", raw, kept=kept())
    assert list(store.keys("")) == []


def test_rules_that_nobody_accepted_are_one_sentence_and_no_reason_to_try_again(
    kaggle: StandIn, in_catalog, kept, store, raw: Path
):
    in_catalog("tides")
    kaggle.host("tides", ARCHIVE, joined=False)
    with pytest.raises(WorkerFailure, match="rules of tides are not accepted yet: join it at https://") as failure:
        fetch(catalog.load("tides"), raw, kept=kept())
    assert not failure.value.try_again
    assert list(store.keys("")) == []
    assert ("GET", "tides") not in kaggle.asked, "not a byte was fetched"
