"""Tries of prepare and grade tasks. They need no judgement: what a try is for is in the store afterwards, or it is not.

A try that left nothing is followed by another one, a while later, up to a limit, unless it said itself that there is no
point in it (rules that nobody accepted, a grader with a defect). A person who asks for more has acted on that, and gets
as many tries again. Failed tries stay where they are for as long as nothing came of them: they are the only memory of
how often it was tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from orchestrator.core.model import Task
from orchestrator.core.retry import delay_after
from orchestrator.core.situation import Situation


@dataclass(frozen=True)
class Tries:
    """How far a series of tries has come."""

    is_running: bool = False
    next: int | None = 1
    """Number of the next try; None: there is to be none, because one is running or all are used up."""
    due_at: datetime | None = None
    """Not before then; None: at once."""
    last: Task | None = None

    @property
    def are_spent(self) -> bool:
        return not self.is_running and self.next is None

    def are_due(self, now: datetime) -> bool:
        """Whether the next try may start."""
        return self.next is not None and (self.due_at is None or self.due_at <= now)


def look_at(tasks: Iterable[Task], situation: Situation, *, is_wished_again: bool) -> Tries:
    """How far these tries have come. Look only while what they are for is not in the store."""
    made = sorted(tasks, key=lambda task: task.attempt)
    if not made:
        return Tries()
    last = made[-1]
    if any(situation.is_busy(task) for task in made):
        return Tries(is_running=True, next=None, last=last)
    allowed = (1 + situation.spec.retries.infrastructure) * (2 if is_wished_again else 1)
    if last.attempt >= allowed or not (last.try_again or is_wished_again):
        return Tries(next=None, last=last)
    return Tries(next=last.attempt + 1, due_at=last.created_at + delay_after(last.attempt), last=last)
