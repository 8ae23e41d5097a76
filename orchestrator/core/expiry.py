"""Which ended tasks to remove: those that ended longer than `ttlAfterFinished` ago and are remembered elsewhere.

An attempt is remembered by its outcome, a grading by its report, a preparation by its dataset. What is remembered
nowhere else, such as the failed tries to grade a run that has no report, stays: without it all would be tried again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from orchestrator.core.history import History
from orchestrator.core.model import Ending, Remove, Role, RunKey, Task
from orchestrator.core.situation import Situation


def choose_removals(histories: Mapping[RunKey, History], situation: Situation) -> Iterator[Remove]:
    """Every task to remove now."""
    for task, expires_at in expiries(histories, situation):
        if expires_at <= situation.now:
            yield Remove(task.name)


def expiries(histories: Mapping[RunKey, History], situation: Situation) -> Iterator[tuple[Task, datetime]]:
    """The tasks that can be removed, and when."""
    for task in situation.seen.tasks:
        expires_at = _expires_at(task, situation.spec.ttl_after_finished)
        if expires_at is not None and _is_remembered(task, histories, situation):
            yield task, expires_at


def _expires_at(task: Task, ttl: timedelta) -> datetime | None:
    """A lost one has ended when its node was last heard of. One that was stopped while it waited in a queue is not
    kept: its queue would let it go one day."""
    if task.phase.is_final:
        return (task.finished_at or task.created_at) + ttl
    if task.ending is Ending.STOPPED:
        return task.created_at
    return task.unreachable_since and task.unreachable_since + ttl


def _is_remembered(task: Task, histories: Mapping[RunKey, History], situation: Situation) -> bool:
    if task.role is Role.PREPARE:
        return task.competition in situation.seen.prepared  # failed tries are others' memory as well
    history = histories.get(RunKey(task.competition, task.seed)) if task.seed is not None else None
    if history is None:
        return False
    return task.attempt in history.outcomes if task.role is Role.AGENT else history.result is not None
