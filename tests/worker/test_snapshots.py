"""Copies of the submission as the agent's time goes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from orchestrator.worker.clock import Clock
from orchestrator.worker.journal import Journal
from orchestrator.worker.snapshots import Snapshots, snapshot_name
from orchestrator.worker.submission import copy_submission
from orchestrator.worker.uploads import Uploads
from tests.worker.attempt import Attempt
from tests.worker.processes import agents_of
from tests.worker.waiting import wait_for


def second(number: int) -> str:
    """Where the snapshot at that second of the agent's time goes."""
    return snapshot_name(number / 60)


def test_every_version_is_kept_once(attempt: Attempt) -> None:
    attempt.changes["snapshot_every_seconds"] = 1.0
    courier, launcher = attempt.start(
        """
submit("first")
while not (code / "seen").exists():
    time.sleep(0.02)
submit("second")
while not (code / "end").exists():
    time.sleep(0.02)
"""
    )
    taken = wait_for("the first snapshot", lambda: sorted(attempt.store.glob("snapshots/*/submission.csv")))
    assert [path.read_text() for path in taken] == ["first"]
    (attempt.code / "seen").touch()
    wait_for("the second snapshot", lambda: len(list(attempt.store.glob("snapshots/*/submission.csv"))) == 2)
    (attempt.code / "end").touch()
    record = attempt.finish(courier, launcher)
    minutes = [snapshot["minutes"] for snapshot in record["snapshots"]]
    found = [attempt.in_store(snapshot_name(minute)) for minute in minutes]
    assert found == [b"first", b"second"]
    assert minutes == sorted(minutes)


def test_a_resumed_attempt_goes_on_counting(attempt: Attempt) -> None:
    attempt.changes.update(snapshot_every_seconds=1.0, consumed_seconds=10.5)
    courier, launcher = attempt.start("submit('id')\nwhile not (code / 'end').exists(): time.sleep(0.02)")
    attempt.wait_until("a snapshot", lambda: list(attempt.store.glob("snapshots/*")))
    (attempt.code / "end").touch()
    record = attempt.finish(courier, launcher)
    assert record["snapshots"][0]["minutes"] * 60 >= 11


def test_an_agent_that_can_resume_has_its_folders_saved_before_it_ends(attempt: Attempt) -> None:
    attempt.changes.update(snapshot_every_seconds=1.0, keep_state=True)
    courier, launcher = attempt.start("submit('id')\n(code / 'main.py').touch()\nwhile True: time.sleep(0.1)")
    attempt.wait_for_file(attempt.store / "code.tar")
    courier.kill()
    launcher.kill()
    assert attempt.in_store("run.json") is None
    assert attempt.in_store("submission.csv") == b"id"
    assert attempt.names_in("code.tar") == ["main.py"]
    assert attempt.names_in("logs.tar") == ["agent.log"]
    assert agents_of(attempt.control)


@pytest.fixture
def snapshots(attempt: Attempt, tmp_path: Path) -> Snapshots:
    """The thread's work, without the thread."""
    order = attempt.order()
    clock = Clock(tmp_path / "clock", 3600)
    clock.start()
    return Snapshots(order, clock, Journal(tmp_path / "journal"), Uploads(order.uploads, 0), tmp_path)


def test_a_file_that_is_being_written_is_waited_for(
    snapshots: Snapshots, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = attempt.submission / "submission.csv"
    file.write_text("half")
    turns = iter(["half and", "half and half"])
    original = copy_submission

    def copy_while_written(folder: Path, target: Path) -> Any:
        from dataclasses import replace

        copied = original(folder, target)
        more = next(turns, None)
        if copied is None or more is None:
            return copied
        file.write_text(more)
        return replace(copied, is_torn=True)

    monkeypatch.setattr("orchestrator.worker.snapshots.copy_submission", copy_while_written)
    snapshots.take(1 / 60)
    assert attempt.in_store(second(1)) == b"half and half"


def test_a_file_that_did_not_change_is_not_taken_again(snapshots: Snapshots, attempt: Attempt) -> None:
    file = attempt.submission / "submission.csv"
    file.write_text("same")
    snapshots.take(1 / 60)
    file.write_text("same")
    snapshots.take(2 / 60)
    file.write_text("other")
    snapshots.take(3 / 60)
    assert [attempt.in_store(second(number)) for number in (1, 2, 3)] == [b"same", None, b"other"]


def test_nothing_is_taken_once_the_budget_has_ended(snapshots: Snapshots, attempt: Attempt) -> None:
    (attempt.submission / "submission.csv").write_text("too late")
    with snapshots.journal.change() as pages:
        pages.is_frozen = True
    snapshots.take(1 / 60)
    assert attempt.in_store(second(1)) is None
    assert not snapshots.latest.exists()


def test_a_snapshot_that_did_not_reach_the_store_is_not_in_the_record(snapshots: Snapshots, attempt: Attempt) -> None:
    (attempt.submission / "submission.csv").write_text("id")
    attempt.store.write_text("a file where the store should be")
    snapshots.take(1 / 60)
    assert [snapshot.uploaded for snapshot in snapshots.journal.pages.snapshots] == [False]
    assert snapshots.latest.read_text() == "id"


def unsaved_since(snapshots: Snapshots) -> object:
    return snapshots.clock.published()["unsaved_since"]


def test_the_clock_tells_since_when_nothing_is_safe(snapshots: Snapshots, attempt: Attempt) -> None:
    began = unsaved_since(snapshots)
    assert began == snapshots.clock.published()["started_at"]
    snapshots.take(1 / 60)
    nothing_to_save = unsaved_since(snapshots)
    (attempt.submission / "submission.csv").write_text("id")
    snapshots.take(2 / 60)
    saved = unsaved_since(snapshots)
    snapshots.take(3 / 60)
    nothing_new = unsaved_since(snapshots)
    assert began < nothing_to_save < saved < nothing_new  # type: ignore[operator]
    assert Clock(snapshots.clock.path, 3600).published()["unsaved_since"] == nothing_new
    snapshots.clock.stop()
    assert "unsaved_since" not in snapshots.clock.published()


@pytest.mark.parametrize("keep_state", [False, True])
def test_what_did_not_reach_the_store_is_not_safe_until_it_does(
    snapshots: Snapshots, attempt: Attempt, keep_state: bool
) -> None:
    snapshots.order = snapshots.order.model_copy(update={"keep_state": keep_state})
    began = unsaved_since(snapshots)
    (attempt.submission / "submission.csv").write_text("id")
    attempt.store.write_text("a file where the store should be")
    for number in (1, 2):
        snapshots.take(number / 60)
    assert unsaved_since(snapshots) == began
    attempt.store.unlink()
    snapshots.take(3 / 60)
    assert unsaved_since(snapshots) != began
    assert attempt.in_store(second(1)) == b"id"
    assert [snapshot.uploaded for snapshot in snapshots.journal.pages.snapshots] == [True]


def test_folders_that_did_not_reach_the_store_are_not_safe(snapshots: Snapshots, attempt: Attempt) -> None:
    snapshots.order = snapshots.order.model_copy(update={"keep_state": True})
    began = unsaved_since(snapshots)
    (attempt.store / "code.tar").mkdir(parents=True)
    snapshots.take(1 / 60)
    assert unsaved_since(snapshots) == began


def test_a_submission_that_is_not_taken_is_not_safe(snapshots: Snapshots, attempt: Attempt) -> None:
    began = unsaved_since(snapshots)
    (attempt.submission / "submission.csv").symlink_to("elsewhere")
    snapshots.take(1 / 60)
    assert unsaved_since(snapshots) == began


def test_what_goes_wrong_is_noted_and_the_rest_goes_on(
    snapshots: Snapshots, attempt: Attempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("orchestrator.worker.snapshots.copy_submission", fail)
    snapshots.take(60)
    assert "no space left" in snapshots.journal.pages.notes[0]


def test_a_copy_tells_whether_somebody_wrote_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "submission.csv"
    file.write_bytes(b"a" * (8 << 20))
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            with file.open("r+b") as opened:
                opened.write(b"b")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        copies = [copy_submission(tmp_path, tmp_path / "copy") for _ in range(5)]
    finally:
        stop.set()
        writer.join()
    assert any(copy is not None and copy.is_torn for copy in copies)
    still = copy_submission(tmp_path, tmp_path / "copy")
    assert still is not None
    assert not still.is_torn
