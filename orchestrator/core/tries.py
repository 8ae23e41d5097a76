"""Tries of prepare and grade tasks. They need no judgement: what a try is for is in the store afterwards, or it is not.

A try that left nothing is followed by another one, a while later, up to a limit, unless it said itself that there is no
point in it (rules that nobody accepted, a grader with a defect). One that the platform took away (a node was drained or
lost) has shown nothing about its work, and is not counted against `retries.infrastructure`; such tries have a limit of
their own. A person who asks for more has acted on that: the tries made before no longer count, though their numbers do.
Failed tries stay where they are for as long as nothing came of them: they are the only memory of how often it was
tried, and what they said is noted on them while their pods are there to tell it.

Tries at preparing a dataset are shared by all experiments that need it. Each judges them for itself: what was tried
before it was there does not count, and one that has given up is not brought back by another that tries on, but by the
dataset itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from orchestrator.core.model import Ending, Note, Role, Task, TaskPhase
from orchestrator.core.retry import delay_after
from orchestrator.core.situation import Situation

MOST_TAKEN_AWAY = 20
"""Tries that the platform may take away before it is given up: three hours at least, by the delays between them."""

_TAKEN_AWAY = frozenset({Ending.DISRUPTED, Ending.DELETED, Ending.NODE_LOST})


@dataclass(frozen=True)
class Tries:
    """How far a series of tries has come."""

    is_running: bool = False
    next: int | None = 1
    """Number of the next try; None: there is to be none, because one is running or all are used up."""
    due_at: datetime | None = None
    """Not before then; None: at once."""
    last: Task | None = None
    out_of_memory: int = 0
    """How many ran out of memory."""

    @property
    def are_spent(self) -> bool:
        return not self.is_running and self.next is None

    def are_due(self, now: datetime) -> bool:
        """Whether the next try may start."""
        return self.next is not None and (self.due_at is None or self.due_at <= now)


def look_at(tasks: Iterable[Task], situation: Situation, *, since: datetime | None) -> Tries:
    """How far these tries have come; those made before `since` do not count.

    Look only while what they are for is not in the store.
    """
    made = sorted(tasks, key=lambda task: task.attempt)
    if not made:
        return Tries()
    ended = [task for task in made if not situation.is_busy(task)]
    forgotten = _forgotten(ended, since)
    count = ended[-1].attempt - forgotten if ended else 0
    taken = sum(task.attempt > forgotten and _was_taken_away(task) for task in ended)
    is_spent = count - taken > situation.spec.retries.infrastructure or taken > MOST_TAKEN_AWAY
    if is_spent or (count and not ended[-1].try_again):
        return Tries(next=None, last=ended[-1])
    last = made[-1]
    if len(ended) < len(made):
        return Tries(is_running=True, next=None, last=last)
    # Also after a try that does not count: where clocks differ, a new one may look older than the wish.
    due_at = last.created_at + delay_after(max(1, count))
    out_of_memory = sum(task.ending is Ending.OOM_KILLED for task in ended)
    return Tries(next=last.attempt + 1, due_at=due_at, last=last, out_of_memory=out_of_memory)


def choose_notes(situation: Situation) -> Iterator[Note]:
    """What failed tries said and nobody has written down yet. That a pod is gone needs no pod to be told."""
    for task in situation.seen.tasks:
        if task.role is Role.AGENT or task.phase is not TaskPhase.FAILED or task.is_noted:
            continue
        if task.ending is not Ending.DELETED:
            yield Note(task.name, task.ending, task.message, task.try_again)


def _was_taken_away(task: Task) -> bool:
    """Also one that is not final: its node was silent for too long."""
    return task.ending in _TAKEN_AWAY or not task.phase.is_final


def _forgotten(ended: Iterable[Task], since: datetime | None) -> int:
    """The number of the last try that does not count."""
    return max((task.attempt for task in ended if since is not None and task.created_at < since), default=0)
