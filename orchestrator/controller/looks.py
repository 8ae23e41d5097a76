"""When to look into the store again: when a task that writes there has moved on, and now and then whatever happens.

A store brings no news of its own, and a look costs a request, so a reconcile looks only where something can have
changed. What the tasks were like is noted once the look has succeeded: after an outage it is simply due again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from orchestrator.core.model import Task, TaskPhase

LIVE_SECONDS = 60.0
"""How long a look at what a live task writes stays good: for the figures, since its end is reported."""
SILENT_SECONDS = 5.0
"""The same for what is written by somebody who can't be heard: what he wrote last may decide a judgement."""


class Life(Enum):
    """What is known of a task's life."""

    LIVES = auto()
    SILENT = auto()
    """It may have ended: nobody would tell."""
    ENDED = auto()


Going = frozenset[tuple[str, Life]]
"""Tasks that leave the same thing when they end, by their names."""


@dataclass
class Looks:
    """The looks that were taken, by what was looked at: what its tasks were like then, and when."""

    taken: dict[Hashable, tuple[object, float]] = field(default_factory=dict)

    def note(self, what: Hashable, tasks: object, now: float) -> None:
        self.taken[what] = (tasks, now)

    def forget(self, what: Hashable) -> None:
        self.taken.pop(what, None)

    def are_older(self, what: Hashable, seconds: float, now: float) -> bool:
        """Whether there was no look in so many seconds."""
        return what not in self.taken or now - self.taken[what][1] >= seconds

    def is_due_for(self, task: Task | None, what: Hashable, now: float) -> bool:
        """Whether to look at what one task writes. One that has not begun has written nothing."""
        if not has_begun(task):
            return False
        if what not in self.taken or self.taken[what][0] != mark_of(task):
            return True
        return self.are_older(what, SILENT_SECONDS if is_silent(task) else LIVE_SECONDS, now)

    def is_due_after(self, tasks: Going, what: Hashable, now: float) -> bool:
        """Whether to look at what several tasks leave; if not, they are noted, so that their ends are noticed."""
        if self.are_older(what, LIVE_SECONDS, now):
            return True
        before, taken_at = self.taken[what]
        if not isinstance(before, frozenset) or has_ended(before, tasks):
            return True
        self.note(what, tasks, taken_at)
        return False


def mark_of(task: Task | None) -> object:
    """Differs when the task has moved on; what is said of it meanwhile is no news for the store."""
    return task and (task.phase, task.ending, task.unreachable_since, task.requeued)


def has_begun(task: Task | None) -> bool:
    """Whether the attempt may have left anything: a clock begins with the agent."""
    return may_have_ended(task) or (task is not None and task.phase not in (TaskPhase.QUEUED, TaskPhase.STAGING))


def going(tasks: Iterable[Task]) -> Going:
    return frozenset((task.name, life_of(task)) for task in tasks)


def life_of(task: Task) -> Life:
    if task.phase.is_final:
        return Life.ENDED
    return Life.SILENT if is_silent(task) else Life.LIVES


def has_ended(before: Going, now: Going) -> bool:
    """Whether one of the tasks may have ended or has gone since, or came and ended in between."""
    names = {name for name, _ in now}
    ended = any(life is not Life.LIVES for _, life in now - before)
    return ended or any(life is not Life.ENDED and name not in names for name, life in before)


def is_silent(task: Task | None) -> bool:
    """Whether nobody would report what the task does."""
    return task is None or task.unreachable_since is not None


def may_have_ended(task: Task | None) -> bool:
    """Whether an attempt may be judged, so that everything it left has to be known."""
    if task is None or is_silent(task) or task.phase.is_final:
        return True
    return task.phase is TaskPhase.COLLECTING or task.ending is not None or task.requeued
