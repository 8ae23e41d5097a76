"""Everything that went wrong in an experiment, by class, with what became of each run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from orchestrator.core.failures import FAILURES, fault_of
from orchestrator.core.model import Fault, Verdict
from orchestrator.report.result import Attempt, FailedAttempt, FailureClass, RunRow

_ORDER = {reason: place for place, reason in enumerate(FAILURES)}


def classify(rows: Sequence[RunRow]) -> tuple[FailureClass, ...]:
    """The classes of failures, those that cost a result first, in the order of the closed list."""
    found: dict[str, list[FailedAttempt]] = defaultdict(list)
    for row in rows:
        for reason, failed in _failed_attempts(row):
            found[reason].append(failed)
    classes = (_describe(reason, attempts) for reason, attempts in found.items())
    return tuple(sorted(classes, key=lambda one: (_cost(one), _ORDER.get(one.reason, len(_ORDER)))))


def _failed_attempts(row: RunRow) -> Iterator[tuple[str, FailedAttempt]]:
    for attempt in row.attempts:
        is_last = attempt.attempt == row.attempt
        if attempt.reason is not None and not (is_last and row.reason):
            yield attempt.reason, _failed(row, attempt.attempt, attempt.message, _effect(row, attempt, is_last))
    if row.reason is not None:
        effect = "counted as a failure" if row.counts else "no result"
        yield row.reason, _failed(row, row.attempt, row.message, effect)


def _effect(row: RunRow, attempt: Attempt, is_last: bool) -> str:
    if not is_last or attempt.verdict == Verdict.RETRY:
        return "tried again"
    return "graded on what it left" if row.counts else "still open"


def _failed(row: RunRow, attempt: int, message: str, effect: str) -> FailedAttempt:
    return FailedAttempt(competition=row.competition, seed=row.seed, attempt=attempt, message=message, effect=effect)


def _describe(reason: str, attempts: list[FailedAttempt]) -> FailureClass:
    known = FAILURES.get(reason)
    return FailureClass(
        reason=reason,
        fault=fault_of(reason),
        meaning=known.meaning if known else "A newer version of mlectl knows this reason.",
        what_to_do=known.what_to_do if known else "Upgrade mlectl to read what it means.",
        attempts=tuple(sorted(attempts, key=lambda one: (one.competition.lower(), one.seed, one.attempt))),
    )


def _cost(failures: FailureClass) -> int:
    effects = {one.effect for one in failures.attempts}
    if "no result" in effects:
        return 0
    if "counted as a failure" in effects or failures.fault == Fault.AGENT:
        return 1
    return 2
