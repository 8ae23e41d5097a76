"""One step of an experiment towards its spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunStatus
from orchestrator.cluster.experiments import SpecRefused
from orchestrator.controller.act import Actor, AlreadyJudged
from orchestrator.controller.cluster import Cluster
from orchestrator.controller.observe import Observer
from orchestrator.controller.spec_copy import write_spec
from orchestrator.controller.stores import OpenStores
from orchestrator.core import events
from orchestrator.core.expand import expand
from orchestrator.core.model import CompetitionFacts, Experiment, Outcome, Plan, Seen, Task
from orchestrator.core.plan import decide
from orchestrator.core.refused import tell_refused
from orchestrator.core.situation import PATIENCE, Situation
from orchestrator.core.status import refuse

LOOK_AGAIN = timedelta(seconds=1)

Watcher = Callable[[Experiment, Seen, Plan], None]
"""Told of every step that was taken."""


@dataclass(frozen=True)
class Step:
    """What a reconcile came to: the status that is now written, and when to look again without news."""

    status: ExperimentRunStatus
    requeue_after: timedelta | None


class Reconciler:
    """Reads, thought and writes do not mix. Safe to stop after any line and start again."""

    def __init__(
        self,
        cluster: Cluster,
        stores: OpenStores,
        facts: Mapping[str, CompetitionFacts],
        *,
        patience: timedelta = PATIENCE,
        at_once: int = 1,
        may_write: Callable[[], bool] = lambda: True,
        on_step: Watcher | None = None,
        on_judged: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self.cluster = cluster
        self.stores = stores
        self.facts = facts
        self.patience = patience
        self.on_step = on_step
        self.observer = Observer(cluster, stores)
        self.actor = Actor(cluster, stores, self.observer, at_once, may_write, on_judged)

    def reconcile(self, key: Key, now: datetime) -> Step | None:
        """Bring one experiment a step closer to its spec; None if there is no such experiment."""
        try:
            experiment = self.cluster.experiment(key)
        except SpecRefused as unreadable:
            return self._refuse(unreadable, now)
        if experiment is None or experiment.is_deleted:
            return None

        seen = self._observe(experiment)  # every read
        plan = decide(experiment, seen, self.facts, now, patience=self.patience)  # no I/O
        try:
            refused = self.actor.carry_out(experiment, plan, seen.tasks)  # every write, each harmless when repeated
        except AlreadyJudged:
            self.observer.doubt(experiment.uid)
            return Step(experiment.status, LOOK_AGAIN)
        plan = tell_refused(plan, [error.message for error in refused])
        self.actor.write_status(experiment, plan.status)  # once, and only if it changed
        self.cluster.record(experiment, plan.events)  # after the status is safe
        self.observer.take_notes(experiment, is_finished=plan.status.phase.is_finished)
        if self.on_step:
            self.on_step(experiment, seen, plan)
        if refused:
            raise refused[0]  # all else is done; whoever called us tries again, later each time
        return Step(plan.status, plan.requeue_after)

    def tasks_of(self, experiment: Experiment) -> Sequence[Task]:
        """Every task that the experiment waits for or has waited for."""
        return self.observer.tasks(experiment, expand(experiment.spec, self.facts))

    def _observe(self, experiment: Experiment) -> Seen:
        if not self.observer.remembers(experiment.uid):
            write_spec(self.stores, experiment)
        return self.observer.observe(experiment, expand(experiment.spec, self.facts))

    def _refuse(self, refused: SpecRefused, now: datetime) -> Step | None:
        """Say in the status why nothing happens; there is nothing more to do until the spec is another one."""
        experiment = refused.experiment
        if experiment.is_deleted:
            return None
        status = refuse(Situation(experiment, Seen(), now), refused.problems)
        self.actor.write_status(experiment, status)
        self.cluster.record(experiment, tuple(events.tell(experiment, status, (), ())))
        return Step(status, None)
