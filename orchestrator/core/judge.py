"""The judgement of an attempt that has ended, to be written down before anything follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.api.types import ExperimentRunSpec
from orchestrator.core.budget import Allowance, allow, consumed_seconds
from orchestrator.core.diagnose import Evidence, diagnose, has_ended
from orchestrator.core.failures import Reason
from orchestrator.core.history import History
from orchestrator.core.model import Judge, Outcome, Verdict
from orchestrator.core.retry import Ended, next_step, spent_retries
from orchestrator.core.situation import Situation

WORTH_SECONDS = 60.0
"""Work of this much agent time makes a disruption free of charge for an agent that resumes."""


def judge_ended(histories: Iterable[History], situation: Situation) -> Iterator[Judge]:
    """A judgement for each run whose newest attempt has ended and was not judged yet."""
    for history in histories:
        if history.newest == 0 or history.outcome is not None or history.result is not None:
            continue
        given = allow(history.outcomes.get(history.newest - 1), situation.spec)
        evidence = Evidence(
            task=history.task,
            record=history.records.get(history.newest),
            is_lost=history.task is not None and situation.is_lost(history.task),
            cancelled=situation.experiment.cancelled,
            lost_time=given.lost_time,
            has_clock=history.newest in history.clocks,
        )
        if has_ended(evidence):
            yield Judge(history.key.attempt(history.newest), judge(history, evidence, given, situation.spec))


def judge(history: History, evidence: Evidence, given: Allowance, spec: ExperimentRunSpec) -> Outcome:
    """How the newest attempt of a run, which started with what it was given, ended, and what follows."""
    number, cause = history.newest, diagnose(evidence)
    consumed = consumed_seconds(given, evidence.record, history.clocks.get(number))
    saved = number if number in history.saved else given.resume_from
    if cause is not None and cause.reason is Reason.TIME_LOST:
        saved = None  # with no time left there is nothing to go on with: the next attempt starts over
    after = allow(Outcome(Verdict.RETRY, consumed_seconds=consumed, saved=saved), spec)
    step = next_step(
        Ended(
            cause,
            has_submission=evidence.record is not None and evidence.record.has_submission,
            seconds_left=after.seconds,
            moved_on=after.resume_from == number and consumed - given.consumed_seconds >= WORTH_SECONDS,
        ),
        spent_retries(outcome for attempt, outcome in history.outcomes.items() if attempt > (history.wish or 0)),
        spec.retries,
    )
    return Outcome(
        verdict=step.verdict,
        reason=cause.reason if cause else None,
        message=cause.message if cause else "",
        consumed_seconds=consumed,
        counts=step.counts,
        saved=saved,
        lost_time=given.lost_time or (evidence.record is None and consumed > given.consumed_seconds),
        node=evidence.task.node if evidence.task else None,
        image_id=evidence.task.image_id if evidence.task else None,
    )
