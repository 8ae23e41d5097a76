"""Every write of a reconcile, in the plan's order. Each is harmless when repeated."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.controller.cluster import Cluster
from orchestrator.controller.observe import OUTCOME, attempt_keys, keys_of
from orchestrator.controller.stores import OpenStores
from orchestrator.core.model import Action, Experiment, Judge, Plan, Publish, Remove, Start, Stop
from orchestrator.report.publish import publish


class AlreadyJudged(Exception):
    """Another controller has judged the attempt, and differently: look again before doing anything more."""


@dataclass(frozen=True)
class Actor:
    """Carries out what was decided."""

    cluster: Cluster
    stores: OpenStores

    def carry_out(self, experiment: Experiment, plan: Plan) -> None:
        for action in plan.actions:
            self._carry_out(experiment, action, plan.status)

    def _carry_out(self, experiment: Experiment, action: Action, status: ExperimentRunStatus) -> None:
        match action:
            case Start():
                self.cluster.start(experiment, action)
            case Stop():
                self.cluster.stop(experiment, action.name, action.why)
            case Remove():
                self.cluster.remove(experiment, action.name)
            case Judge():
                self._judge(experiment, action)
            case Publish():
                publish(self.stores.runs, keys_of(experiment), results_digest=action.digest, told=status.results)

    def _judge(self, experiment: Experiment, judgement: Judge) -> None:
        """Write the outcome once. What is written stands: if it says something else, nothing may follow from ours."""
        key = attempt_keys(keys_of(experiment), judgement.key).outcome
        if self.stores.runs.write_new(key, OUTCOME.dump_json(judgement.outcome, indent=1)):
            return
        written = self.stores.runs.read(key)
        if written is not None and OUTCOME.validate_json(written) != judgement.outcome:
            raise AlreadyJudged(key)
