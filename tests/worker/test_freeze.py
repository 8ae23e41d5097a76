"""Which copy counts when the budget has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.worker.courier import Courier
from orchestrator.worker.journal import Snapshot
from orchestrator.worker.submission import copy_submission
from tests.worker.attempt import Attempt

ON_TIME, LATE = 0.05, 30.0


@pytest.fixture
def courier(attempt: Attempt) -> Courier:
    return Courier(attempt.order())


@pytest.fixture
def submit(attempt: Attempt) -> Callable[[str], float]:
    """Writes the submission; when it was touched last."""

    def write(text: str) -> float:
        file = attempt.submission / "submission.csv"
        file.write_text(text)
        return file.stat().st_ctime

    return write


def take_snapshot(courier: Courier, text: str) -> None:
    courier.snapshots.latest.write_text(text)
    with courier.journal.change() as pages:
        pages.snapshots.append(Snapshot(minutes=60, sha256=f"digest of {text}", bytes=len(text)))


def final(courier: Courier) -> str:
    return (courier.scratch / "final.csv").read_text()


def test_on_time_the_file_that_is_there_counts(courier: Courier, submit: Callable[[str], float]) -> None:
    take_snapshot(courier, "earlier")
    touched_at = submit("now")
    courier.freeze(ON_TIME, budget_ended_at=touched_at - ON_TIME)
    assert final(courier) == "now"
    assert courier.journal.pages.notes == []


def test_on_time_and_nothing_there_means_no_submission(courier: Courier) -> None:
    take_snapshot(courier, "deleted since")
    courier.freeze(ON_TIME, budget_ended_at=0)
    pages = courier.journal.pages
    assert (pages.is_frozen, pages.frozen, pages.interrupted) == (True, None, False)


def test_late_a_file_that_was_not_touched_since_counts(courier: Courier, submit: Callable[[str], float]) -> None:
    touched_at = submit("in time")
    courier.freeze(LATE, budget_ended_at=touched_at + 1)
    assert final(courier) == "in time"
    assert not courier.journal.pages.interrupted


def test_late_a_file_that_was_touched_since_gives_way_to_the_last_snapshot(
    courier: Courier, submit: Callable[[str], float]
) -> None:
    take_snapshot(courier, "in time")
    touched_at = submit("too late")
    courier.freeze(LATE, budget_ended_at=touched_at - 1)
    pages = courier.journal.pages
    assert final(courier) == "in time"
    assert pages.frozen is not None
    assert pages.frozen.sha256 == "digest of in time"
    assert "minute 60 counts" in pages.notes[0]


def test_late_without_a_snapshot_the_attempt_does_not_count(courier: Courier, submit: Callable[[str], float]) -> None:
    """It is tried again: neither a zero for the agent nor a present of our absence."""
    touched_at = submit("too late")
    courier.freeze(LATE, budget_ended_at=touched_at - 1)
    assert courier.journal.pages.interrupted
    assert "does not count" in courier.journal.pages.notes[0]


def test_the_time_of_a_file_can_not_be_set_back(
    attempt: Attempt, courier: Courier, submit: Callable[[str], float]
) -> None:
    import os

    touched_at = submit("too late")
    os.utime(attempt.submission / "submission.csv", (0, 0))
    courier.freeze(LATE, budget_ended_at=touched_at - 1)
    assert courier.journal.pages.interrupted


@pytest.mark.parametrize("has_snapshot, want", [(True, "whole"), (False, "half")])
def test_a_file_that_was_being_written_gives_way_to_the_last_snapshot(
    courier: Courier,
    submit: Callable[[str], float],
    monkeypatch: pytest.MonkeyPatch,
    has_snapshot: bool,
    want: str,
) -> None:
    if has_snapshot:
        take_snapshot(courier, "whole")
    submit("half")

    def torn(folder: Path, target: Path) -> object:
        copied = copy_submission(folder, target)
        return copied and replace(copied, is_torn=True)

    monkeypatch.setattr("orchestrator.worker.courier.copy_submission", torn)
    courier.freeze(ON_TIME, budget_ended_at=0)
    assert final(courier) == want
    assert not courier.journal.pages.interrupted
    assert "being written" in courier.journal.pages.notes[0]


def test_what_is_settled_stays_settled_over_a_restart(
    attempt: Attempt, courier: Courier, submit: Callable[[str], float]
) -> None:
    submit("settled")
    courier.freeze(ON_TIME, budget_ended_at=0)
    again = Courier(attempt.order())
    assert again.journal.pages == courier.journal.pages
    assert again.journal.pages.deadline_reached
