"""One look at an experiment: what is asked for, what was seen, and when. Every decision of a plan is about this."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.api.types import ExperimentRunSpec
from orchestrator.core.model import Experiment, Seen, Task

PATIENCE = timedelta(minutes=10)
"""How long a node may be silent before what ran there is given up: its pods would stay as they are for ever."""


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
        """Whether the task's node has been silent for so long that the task is given up."""
        if task.phase.is_final or task.unreachable_since is None:
            return False
        return self.now - task.unreachable_since >= self.patience

    def is_busy(self, task: Task) -> bool:
        """Whether the task is still going on, as far as one can know."""
        return not task.phase.is_final and not self.is_lost(task)
