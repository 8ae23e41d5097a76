"""How long tasks wait, stage and grade, and how much they stage, from the changes that this controller sees. What ended
before it began is not counted, so a restart counts nothing twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from orchestrator.controller.memory import ClockSeen
from orchestrator.controller.metrics import Metrics
from orchestrator.core.model import AttemptKey, Role, Task, TaskPhase


class Durations:
    """Of the tasks of one experiment."""

    def __init__(self, metrics: Metrics) -> None:
        self.metrics = metrics
        self.seen: dict[str, tuple[TaskPhase, datetime]] = {}
        """The phase of each task that goes on, and since when it was seen in it."""
        self.staged: set[AttemptKey] = set()
        """Attempts that were seen to stage and whose clocks have not told yet how much."""

    def look(self, tasks: Iterable[Task], now: datetime, clocks: Mapping[AttemptKey, ClockSeen]) -> None:
        going: dict[str, tuple[TaskPhase, datetime]] = {}
        for task in tasks:
            before = self.seen.get(task.name)
            if before is not None and before[0] is not task.phase:
                self._moved(task, *before, now)
            if not task.phase.is_final:
                is_same = before is not None and before[0] is task.phase
                going[task.name] = before if before is not None and is_same else (task.phase, now)
        self.seen = going
        self._count_staged(clocks)

    def _count_staged(self, clocks: Mapping[AttemptKey, ClockSeen]) -> None:
        for key in self.staged & clocks.keys():
            self.metrics.staged_bytes.inc(clocks[key].staged_bytes or 0)
            self.staged.discard(key)

    def _moved(self, task: Task, phase: TaskPhase, since: datetime, now: datetime) -> None:
        if task.role is Role.GRADE and task.phase is TaskPhase.SUCCEEDED:
            self.metrics.grading.observe(((task.finished_at or now) - task.created_at).total_seconds())
        if task.role is not Role.AGENT:
            return
        if phase is TaskPhase.QUEUED and task.node is not None:
            self.metrics.queue_wait.observe((now - task.created_at).total_seconds())
        if phase is TaskPhase.STAGING and task.started_at is not None:
            self.metrics.staging.observe(max(0.0, (task.started_at - since).total_seconds()))
            if task.seed is not None:
                self.staged.add(AttemptKey(task.competition, task.seed, task.attempt))
