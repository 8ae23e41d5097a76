"""From what a run left in the store to its row in the report."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.api.types import ResultRow, RunState
from orchestrator.core.failures import FAILURES, Reason, fault_of, is_agents
from orchestrator.core.model import Outcome, RunKey, Verdict
from orchestrator.report.documents import RunRecord, RunReport
from orchestrator.report.result import Attempt, RunRow
from orchestrator.report.traces import Traces


def read_row(key: RunKey, traces: Traces, told: Mapping[RunKey, ResultRow]) -> RunRow:
    """The run's row. What the store can't tell (a grader that failed, a dataset that is not to be had) is `told`."""
    if traces.result is not None:
        return _with_result(key, traces, traces.result)
    state, reason, message = _without_result(traces, told.get(key))
    return RunRow(
        competition=key.competition,
        seed=key.seed,
        state=state,
        attempt=traces.newest,
        attempts=_attempts(traces),
        reason=reason,
        message=message,
        fault=fault_of(reason) if reason else None,
        consumed_seconds=_consumed_seconds(traces),
    )


def _with_result(key: RunKey, traces: Traces, report: RunReport) -> RunRow:
    reason = _why_it_failed(traces, report)
    record = traces.record or RunRecord()
    return RunRow(
        competition=key.competition,
        seed=key.seed,
        state=RunState.GRADED if report.valid_submission else RunState.FAILED,
        counts=True,
        attempt=traces.newest,
        attempts=_attempts(traces),
        submitted=report.submission_exists,
        valid=report.valid_submission,
        score=report.score,
        medal=report.medal,
        above_median=report.above_median,
        percentile=report.percentile,
        reason=reason,
        message=report.reason or "",
        fault=fault_of(reason) if reason else None,
        snapshots=tuple(sorted(report.snapshots, key=lambda snapshot: snapshot.minutes)),
        consumed_seconds=_consumed_seconds(traces),
        cost_usd=record.cost_usd,
        validations=record.validations.asked if record.validations else None,
        warnings=report.warnings,
        submission_sha256=report.submission_sha256,
        graded_at=report.created_at,
    )


def _why_it_failed(traces: Traces, report: RunReport) -> str | None:
    if report.valid_submission:
        return None
    if report.submission_exists:
        return Reason.INVALID_SUBMISSION
    judged = traces.outcome.reason if traces.outcome else None
    return judged if is_agents(judged) else Reason.NO_SUBMISSION


def _without_result(traces: Traces, told: ResultRow | None) -> tuple[RunState, str | None, str]:
    outcome = traces.outcome
    if outcome is not None and outcome.verdict is Verdict.FAIL:
        return RunState.FAILED, outcome.reason, outcome.message
    if told is not None:
        known = FAILURES.get(told.reason or "")
        return told.state, told.reason, known.meaning if known else ""
    if outcome is not None and outcome.verdict is Verdict.GRADE:
        return RunState.GRADING, None, ""
    if traces.newest and outcome is None:
        return RunState.RUNNING, None, ""
    return RunState.PENDING, None, ""


def _attempts(traces: Traces) -> tuple[Attempt, ...]:
    numbers = sorted({*traces.outcomes, *traces.records, *traces.clocks})
    return tuple(_attempt(number, traces.outcomes.get(number)) for number in numbers)


def _attempt(number: int, outcome: Outcome | None) -> Attempt:
    if outcome is None:
        return Attempt(attempt=number)
    return Attempt(
        attempt=number,
        verdict=outcome.verdict,
        reason=outcome.reason,
        message=outcome.message,
        consumed_seconds=outcome.consumed_seconds,
    )


def _consumed_seconds(traces: Traces) -> float | None:
    """Of the run's budget, by the newest attempt's record, else its outcome, else its clock."""
    if traces.record is not None and traces.record.clock is not None:
        return traces.record.clock.consumed_seconds
    if traces.outcome is not None:
        return traces.outcome.consumed_seconds
    clock = traces.clocks.get(traces.newest)
    return clock.consumed_seconds if clock else None
