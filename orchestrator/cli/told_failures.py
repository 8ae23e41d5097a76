"""What went wrong in an experiment: from the store, which knows every attempt, or else from the status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.api.types import RunState
from orchestrator.cli.exits import UNREACHABLE, Trouble
from orchestrator.cli.experiments import find, find_result
from orchestrator.cli.output import tell
from orchestrator.cli.place import Found
from orchestrator.cli.results import result_of
from orchestrator.cli.where import Where
from orchestrator.core.failures import Reason
from orchestrator.report.documents import CollectError
from orchestrator.report.failures import classify
from orchestrator.report.result import FailedAttempt, FailureClass, RunRow
from orchestrator.storage.store import StoreError


@dataclass(frozen=True)
class Failures:
    """What went wrong in one experiment."""

    name: str
    """How people call the experiment."""
    classes: tuple[FailureClass, ...]
    can_retry: bool = False
    """Whether `mlectl retry` tries its runs again."""


def failures_of(where: Where, name: str) -> Failures:
    """Classes of failures. Where the store is out of reach, failed runs without their messages, and a word about it."""
    if Path(name).is_file():
        return Failures(name, find_result(where, name).failures)
    found = find(where, name)
    if not found.run.spec.seeds:  # it only prepares, and has no report
        return Failures(found.name, classify(list(_lost_datasets(found))))
    return Failures(found.name, _with_datasets(found, _classes(found)), can_retry=found.place.can_retry)


def _classes(found: Found) -> tuple[FailureClass, ...]:
    try:
        return result_of(found).failures
    except (Trouble, StoreError, CollectError) as error:
        if isinstance(error, Trouble) and error.code != UNREACHABLE:
            raise
        tell(f"mlectl: Messages and earlier attempts are missing here. {error}\n")
        return _told(found)


def _lost_datasets(found: Found) -> Iterator[RunRow]:
    """Datasets that were given up, as if each were a run."""
    for row in found.run.status.datasets:
        if row.state == "Unavailable":
            yield RunRow(
                competition=row.competition,
                seed=0,
                state=RunState.FAILED,
                attempt=0,
                reason=Reason.DATASET_UNAVAILABLE,
                message=row.message,
            )


def _with_datasets(found: Found, classes: Iterable[FailureClass]) -> tuple[FailureClass, ...]:
    """The same, with what the last try to prepare a dataset said: that is in the status, and in no report."""
    said = {row.competition: row.message for row in found.run.status.datasets}

    def fill(attempt: FailedAttempt) -> FailedAttempt:
        return attempt.model_copy(update={"message": attempt.message or said.get(attempt.competition, "")})

    return tuple(
        one.model_copy(update={"attempts": tuple(map(fill, one.attempts))})
        if one.reason == Reason.DATASET_UNAVAILABLE
        else one
        for one in classes
    )


def _told(found: Found) -> tuple[FailureClass, ...]:
    """What the status alone says."""
    rows = [
        RunRow(competition=row.competition, seed=row.seed, state=row.state, attempt=row.attempt, reason=row.reason)
        for row in found.run.status.results
        if row.reason is not None
    ]
    return classify(rows)
