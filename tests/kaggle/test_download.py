"""A competition's raw files, whole or not at all, over connections that break and archives that lie."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.worker.kaggle import (
    ChecksumMismatch,
    CompetitionNotFound,
    DiskFull,
    NoCredentials,
    OutOfReach,
    RulesNotAccepted,
    download,
    is_fetched,
)
from tests.kaggle.standin import StandIn, make_zip, md5

pytestmark = pytest.mark.usefixtures("account")

FILES = {
    "train.csv": b"id,y\n" + b"1,2\n" * 5_000,
    "images/a.png": b"\x89PNG" * 3_000,
    "test.zip": make_zip({"b": b"c"}),
}
ARCHIVE = make_zip(FILES)


@pytest.fixture
def tides(kaggle: StandIn, in_catalog):
    """A competition that Kaggle has and whose archive's sum the catalog knows."""
    in_catalog("tides", zip=md5(ARCHIVE))
    return kaggle.host("tides", ARCHIVE)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_archive_is_fetched_checked_unpacked_and_removed(kaggle: StandIn, tides, raw: Path):
    download("tides", raw)

    assert content(raw) == FILES
    assert left_in(raw.parent) == ["tides"]
    assert kaggle.asked == [("DownloadDataFiles", "tides"), ("GET", "tides")]


def test_a_second_call_does_nothing(kaggle: StandIn, tides, raw: Path):
    download("tides", raw)
    kaggle.calls.clear()
    before = {path: path.stat().st_mtime_ns for path in raw.rglob("*")}

    download("tides", raw)

    assert kaggle.calls == []
    assert {path: path.stat().st_mtime_ns for path in raw.rglob("*")} == before


def test_files_that_somebody_put_there_are_left_alone(kaggle: StandIn, tides, raw: Path):
    raw.mkdir(parents=True)
    (raw / "by-hand.csv").write_text("mine")

    download("tides", raw)

    assert kaggle.calls == []
    assert content(raw) == {"by-hand.csv": b"mine"}


def test_an_empty_folder_is_filled(kaggle: StandIn, tides, raw: Path):
    raw.mkdir(parents=True)
    assert not is_fetched(raw)

    download("tides", raw)

    assert content(raw) == FILES
    assert is_fetched(raw)


def test_the_archive_is_kept_if_asked_for(tides, raw: Path):
    download("tides", raw, keep_zip=True)

    assert raw.with_name("tides.zip").read_bytes() == ARCHIVE
    assert left_in(raw.parent) == ["tides", "tides.zip"]


def test_a_broken_download_goes_on_where_it_stopped_in_the_next_call(kaggle: StandIn, tides, raw: Path):
    tides.cuts = 1
    with pytest.raises(OutOfReach, match="what was fetched is kept"):
        download("tides", raw, waits=())
    assert not raw.exists()

    download("tides", raw, waits=())

    half = len(ARCHIVE) // 2
    assert [call.range for call in kaggle.transfers] == [None, f"bytes={half}-"]
    assert sum(call.sent for call in kaggle.transfers) == len(ARCHIVE)
    assert content(raw) == FILES


def test_a_connection_that_breaks_again_and_again_is_taken_up_as_long_as_bytes_come(kaggle: StandIn, tides, raw: Path):
    tides.cuts = 3

    download("tides", raw, waits=(0.0,))

    assert len(kaggle.transfers) == 4
    assert sum(call.sent for call in kaggle.transfers) == len(ARCHIVE)
    assert content(raw) == FILES


def test_a_busy_server_is_asked_again(kaggle: StandIn, tides, raw: Path):
    tides.busy = 2

    download("tides", raw, waits=(0.0, 0.0))

    assert content(raw) == FILES


def test_a_server_that_stays_busy_is_out_of_reach(tides, raw: Path):
    tides.busy = 9

    with pytest.raises(OutOfReach, match=r"busy or broken at the moment \(503: Back soon\)"):
        download("tides", raw, waits=(0.0,))


def test_an_archive_that_changed_between_two_calls_is_fetched_anew(kaggle: StandIn, tides, raw: Path):
    tides.archive, tides.etag = b"longer" * len(ARCHIVE), '"old"'
    tides.cuts = 1
    with pytest.raises(OutOfReach):
        download("tides", raw, waits=())
    tides.archive, tides.etag = ARCHIVE, '"new"'

    download("tides", raw, waits=())

    assert kaggle.transfers[-1].sent == len(ARCHIVE)
    assert content(raw) == FILES


def test_a_server_that_knows_no_ranges_sends_all_of_it_again(kaggle: StandIn, tides, raw: Path):
    tides.cuts = 1
    with pytest.raises(OutOfReach):
        download("tides", raw, waits=())
    tides.knows_ranges = False

    download("tides", raw, waits=())

    assert content(raw) == FILES


@pytest.mark.parametrize("extra, transfers", [(b"", 0), (b"too much", 2)], ids=["whole", "longer than the archive"])
def test_an_archive_that_was_left_behind_is_used_if_it_is_whole(kaggle, tides, raw: Path, extra: bytes, transfers: int):
    under_way = raw.with_name(".tides.fetch")
    under_way.mkdir(parents=True)
    (under_way / "archive.zip").write_bytes(ARCHIVE + extra)
    if not extra:
        (under_way / "archive.json").write_text(f'{{"validator": null, "total": {len(ARCHIVE)}}}')

    download("tides", raw, waits=())

    assert len(kaggle.transfers) == transfers
    assert content(raw) == FILES


def test_a_server_that_has_nothing_more_to_send_ends_the_download(kaggle: StandIn, tides, raw: Path):
    under_way = raw.with_name(".tides.fetch")
    under_way.mkdir(parents=True)
    (under_way / "archive.zip").write_bytes(ARCHIVE)

    download("tides", raw, waits=())

    assert [call.range for call in kaggle.transfers] == [f"bytes={len(ARCHIVE)}-"]
    assert content(raw) == FILES


def test_what_an_interrupted_unpacking_left_does_not_get_into_the_raw_files(tides, raw: Path):
    half = raw.with_name(".tides.fetch") / "unpacked"
    half.mkdir(parents=True)
    (half / "half.csv").write_text("half")

    download("tides", raw)

    assert content(raw) == FILES


def test_another_archive_than_the_benchmark_s_is_deleted_and_both_sums_told(kaggle: StandIn, tides, raw: Path):
    tides.archive = make_zip({"train.csv": b"other"})

    with pytest.raises(ChecksumMismatch) as mismatch:
        download("tides", raw)

    assert f"its MD5 sum is {md5(tides.archive)}, expected {md5(ARCHIVE)}" in str(mismatch.value)
    assert mismatch.value.exit_code == 1
    assert not raw.exists()
    tides.archive = ARCHIVE
    download("tides", raw)
    assert kaggle.transfers[-1].range is None
    assert content(raw) == FILES


def test_a_competition_without_a_published_sum_is_taken_as_it_comes(kaggle: StandIn, in_catalog, raw: Path):
    in_catalog("winds")
    kaggle.host("winds", ARCHIVE)

    download("winds", raw)

    assert content(raw) == FILES


def test_rules_that_are_not_accepted_are_refused_with_the_link(tides, raw: Path):
    tides.joined = False

    with pytest.raises(
        RulesNotAccepted, match=r"join it at https://www.kaggle.com/competitions/tides/rules"
    ) as refusal:
        download("tides", raw)

    assert refusal.value.exit_code == 3
    assert "Kaggle's words: You must accept this competition's rules" in str(refusal.value)


def test_a_competition_that_kaggle_does_not_have_is_refused(in_catalog, raw: Path):
    in_catalog("winds")

    with pytest.raises(CompetitionNotFound, match="Kaggle has no competition winds"):
        download("winds", raw)


def test_without_credentials_nothing_is_asked(kaggle: StandIn, tides, raw: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("KAGGLE_API_TOKEN")

    with pytest.raises(NoCredentials):
        download("tides", raw)

    assert kaggle.calls == []


def test_an_archive_larger_than_the_disk_is_refused_before_a_byte_is_written(tides, raw: Path):
    tides.announced = 10**18

    with pytest.raises(
        DiskFull, match=rf"no room for the archive of tides in {raw.parent}.*: 1,000,000.0 TB are needed"
    ):
        download("tides", raw, waits=())

    assert not (raw.with_name(".tides.fetch") / "archive.zip").exists()


def test_progress_is_told_for_each_stage_up_to_the_end(tides, raw: Path):
    told: list[tuple[str, int, int | None]] = []

    download("tides", raw, progress=lambda *step: told.append(step))

    ends = {stage: (done, total) for stage, done, total in told}
    unpacked = sum(map(len, FILES.values()))
    size = len(ARCHIVE)
    assert ends == {"download": (size, size), "verify": (size, size), "unpack": (unpacked, unpacked)}


def test_two_processes_that_want_the_same_folder_fetch_it_once(kaggle: StandIn, tides, raw: Path, tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from orchestrator.worker.kaggle import download\n"
        "download('tides', Path(sys.argv[1]))"
    )
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site-packages")}
    processes = [subprocess.Popen([sys.executable, "-c", script, str(raw)], env=env) for _ in range(2)]

    assert [process.wait(60) for process in processes] == [0, 0]
    assert len(kaggle.transfers) == 1
    assert content(raw) == FILES
    assert left_in(raw.parent) == ["tides"]
