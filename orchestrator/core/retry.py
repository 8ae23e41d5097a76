"""What follows an attempt that has ended: it is graded, another one starts, or the run has failed.

Whatever was collected from an agent that was done is graded, also where it left nothing: the report then says so, and
every run that finished has exactly one report. An agent that filled its disk is graded by the copies of its submission.
One that left no submission, or whose files nobody collected, is tried again first if `retries.agent` allows it.
Whatever else was not collected is tried again while `retries.infrastructure` allows it, and then the run has failed
without a result. What a person stopped costs no retry.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from orchestrator.api.types import Retries
from orchestrator.core.diagnose import Cause
from orchestrator.core.failures import Reason, fault_of, is_agents
from orchestrator.core.model import Fault, Outcome, Verdict

FIRST_DELAY = timedelta(seconds=10)
LONGEST_DELAY = timedelta(minutes=10)


class Spent(NamedTuple):
    """Retries used so far."""

    infrastructure: int = 0
    agent: int = 0


class Step(NamedTuple):
    """What follows, and whether that uses up a retry."""

    verdict: Verdict
    counts: bool = False


@dataclass(frozen=True)
class Ended:
    """An attempt that has ended, as far as the next step depends on it."""

    cause: Cause | None
    """None: nothing went wrong."""
    has_submission: bool = False
    seconds_left: float = 0.0
    """What another attempt would have."""
    moved_on: bool = False
    """Whether another attempt would go on from work that this one did and saved."""


def next_step(ended: Ended, spent: Spent, retries: Retries) -> Step:
    """The next step for a run whose newest attempt has ended."""
    if ended.cause is None:
        return Step(Verdict.GRADE)
    if ended.cause.reason in (Reason.CANCELLED, Reason.NOT_CONFIGURED):
        return Step(Verdict.FAIL)  # a person has decided, or has to act first
    if ended.cause.reason is Reason.SUSPENDED:
        return Step(Verdict.RETRY)
    if fault_of(ended.cause.reason) is Fault.AGENT:
        may_retry = not ended.has_submission and ended.seconds_left > 0 and spent.agent < retries.agent
        return Step(Verdict.RETRY, counts=True) if may_retry else Step(Verdict.GRADE)
    if ended.cause.reason is Reason.DISRUPTED and ended.moved_on:
        return Step(Verdict.RETRY)  # ends all the same: it has less time left than before
    may_retry = spent.infrastructure < retries.infrastructure
    return Step(Verdict.RETRY, counts=True) if may_retry else Step(Verdict.FAIL)


def spent_retries(outcomes: Iterable[Outcome]) -> Spent:
    """Retries that these outcomes have used up."""
    by_agent = [
        is_agents(outcome.reason) for outcome in outcomes if outcome.verdict is Verdict.RETRY and outcome.counts
    ]
    return Spent(infrastructure=by_agent.count(False), agent=by_agent.count(True))


def delay_after(failures: int) -> timedelta:
    """How long after the start of the last try the next one may start: 10 s, 40 s, and so on to 10 minutes.

    From its start and not its end, so that what failed after hours is tried again at once.
    """
    return min(FIRST_DELAY * 4 ** min(failures - 1, 10), LONGEST_DELAY) if failures else timedelta(0)
