"""One step of an experiment towards its spec."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunStatus
from orchestrator.controller.act import Actor, AlreadyJudged
from orchestrator.controller.cluster import Cluster
from orchestrator.controller.observe import Observer
from orchestrator.controller.stores import OpenStores
from orchestrator.core.expand import expand
from orchestrator.core.model import CompetitionFacts
from orchestrator.core.plan import decide

LOOK_AGAIN = timedelta(seconds=1)


@dataclass(frozen=True)
class Step:
    """What a reconcile came to: the status that is now written, and when to look again without news."""

    status: ExperimentRunStatus
    requeue_after: timedelta | None


class Reconciler:
    """Reads, thought and writes do not mix. Safe to stop after any line and start again."""

    def __init__(self, cluster: Cluster, stores: OpenStores, facts: Mapping[str, CompetitionFacts]) -> None:
        self.cluster = cluster
        self.facts = facts
        self.observer = Observer(cluster, stores)
        self.actor = Actor(cluster, stores)

    def reconcile(self, key: Key, now: datetime) -> Step | None:
        """Bring one experiment a step closer to its spec; None if there is no such experiment."""
        experiment = self.cluster.experiment(key)
        if experiment is None or experiment.is_deleted:
            return None

        competitions = expand(experiment.spec, self.facts).competitions
        seen = self.observer.observe(experiment, competitions)  # every read
        plan = decide(experiment, seen, self.facts, now)  # no I/O
        try:
            self.actor.carry_out(experiment, plan)  # every write, each harmless when repeated
        except AlreadyJudged:
            return Step(experiment.status, LOOK_AGAIN)
        self.cluster.write_status(experiment, plan.status)  # once, and only if it changed
        self.cluster.record(experiment, plan.events)  # after the status is safe
        return Step(plan.status, plan.requeue_after)
