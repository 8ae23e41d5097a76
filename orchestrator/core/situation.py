"""One look at an experiment: what is asked for, what was seen, and when. Every decision of a plan is about this."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.api.types import ExperimentRunSpec
from orchestrator.core.model import AttemptKey, Experiment, Role, Seen, Task

PATIENCE = timedelta(minutes=10)
"""How long nothing may be heard of a task before it is given up: on a lost node it would stay as it is for ever."""


@dataclass(frozen=True)
class Situation:
    experiment: Experiment
    seen: Seen
    now: datetime
    patience: timedelta = PATIENCE

    @property
    def spec(self) -> ExperimentRunSpec:
        return self.experiment.spec

    def is_lost(self, task: Task) -> bool:
        """Whether nothing has been heard of the task for so long that it is given up."""
        lost_at = self.lost_at(task)
        return lost_at is not None and lost_at <= self.now

    def lost_at(self, task: Task) -> datetime | None:
        """When the task is given up unless something is heard of it; None: it looks well, or has ended.

        What looks unreachable may be at work: a courier that writes its clock is alive, whatever becomes of its pod.
        """
        if task.phase.is_final or task.unreachable_since is None:
            return None
        heard = None
        if task.role is Role.AGENT and task.seed is not None:
            heard = self.seen.heard.get(AttemptKey(task.competition, task.seed, task.attempt))
        return max(task.unreachable_since, heard or task.unreachable_since) + self.patience

    def is_busy(self, task: Task) -> bool:
        """Whether the task is still going on, as far as one can know."""
        return not task.phase.is_final and not self.is_lost(task)
