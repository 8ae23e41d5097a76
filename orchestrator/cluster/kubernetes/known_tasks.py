"""Tasks that were read before: of a thousand Jobs, those that nothing has happened to are not read again.

What a task is follows from its Job, its pods and, for some of them, from the time. So it stays what it is until one of
them has another version, or until the moment that it tells itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.tasks import task_of
from orchestrator.core.model import Task


@dataclass(frozen=True)
class Known:
    """A task as it was read."""

    versions: tuple[str, ...]
    """Of its Job and its pods."""
    task: Task

    def holds(self, versions: tuple[str, ...], now: datetime) -> bool:
        changes_at = self.task.changes_at
        return self.versions == versions and (changes_at is None or now < changes_at)


class KnownTasks:
    """By their Jobs' uids. For any number of threads: at worst a task is read twice."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}

    def task_of(self, job: Object, pods: Sequence[Object], now: datetime) -> Task:
        """As `tasks.task_of`."""
        uid, versions = job["metadata"]["uid"], tuple(one["metadata"]["resourceVersion"] for one in (job, *pods))
        known = self._known.get(uid)
        if known is None or not known.holds(versions, now):
            known = self._known[uid] = Known(versions, task_of(job, pods, now))
        return known.task

    def forget_others(self, uids: Collection[str]) -> None:
        """Only these Jobs are still there."""
        for uid in self._known.keys() - uids:
            self._known.pop(uid, None)
