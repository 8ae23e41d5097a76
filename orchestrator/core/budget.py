"""How much time an attempt gets.

An agent that resumes has one budget for the whole run: what is left of it goes with the folders that come back. Where
nothing comes back, because the agent does not resume or nothing of it was saved, the attempt starts over and has the
full budget. So does one that follows an attempt whose agent was done, which only a person can ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.api.types import ExperimentRunSpec
from orchestrator.core.model import AttemptRecord, Outcome, Verdict


@dataclass(frozen=True)
class Allowance:
    """What an attempt starts with."""

    seconds: float
    """Of the agent's own time."""
    consumed_seconds: float = 0.0
    """What the attempts that it goes on from have used of the budget."""
    resume_from: int | None = None
    lost_time: bool = False
    """Whether some of that was lost with a machine."""


def allow(before: Outcome | None, spec: ExperimentRunSpec, clock: float | None = None) -> Allowance:
    """What the attempt after this outcome gets; before the first attempt there is none.

    `clock` is what the clock of the folders that come back says now. It can have moved on since the outcome: an attempt
    on a node that is cut off works on, and goes on to save its folders.
    """
    budget = spec.budget.wall_clock.total_seconds()
    if before is None or before.saved is None or before.verdict is Verdict.GRADE or not spec.agent.resume:
        return Allowance(budget)
    consumed = max(before.consumed_seconds, clock or 0.0)
    return Allowance(max(0.0, budget - consumed), consumed, before.saved, before.lost_time)


def consumed_seconds(given: Allowance, record: AttemptRecord | None, clock: float | None) -> float:
    """What a run has used of its budget after an attempt: by its record, else by its clock, else nothing new."""
    if record is not None:
        return record.consumed_seconds
    return clock if clock is not None else given.consumed_seconds
