"""What is known of a run before it starts, for its record, and where its results go: the same wherever it runs."""

from __future__ import annotations

from typing import Any

import orchestrator
from orchestrator.api.types import ExperimentRunSpec, departures
from orchestrator.core.model import Experiment, Start
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.worker.tokens import Ticket

DEFAULT_COMMAND = ("bash", "/home/agent/start.sh")


def keys_of(experiment: Experiment) -> ExperimentKeys:
    return ExperimentKeys(experiment.namespace, experiment.name, experiment.uid)


def ticket_of(experiment: Experiment, start: Start) -> Ticket:
    """Which attempt a run token speaks for."""
    prefix = keys_of(experiment).prefix
    return Ticket(prefix, start.competition, start.seed or 0, start.attempt, experiment.spec.benchmark)


def agent_command(spec: ExperimentRunSpec) -> list[str]:
    """The agent's command with its arguments."""
    return [*(spec.agent.command or DEFAULT_COMMAND), *spec.agent.args]


def run_facts(experiment: Experiment, start: Start, cluster: str) -> dict[str, Any]:
    """What every run's record says; each cluster adds what only it knows."""
    spec = experiment.spec
    return {
        "experiment": {"namespace": experiment.namespace, "name": experiment.name, "uid": experiment.uid},
        "agent": spec.agent.name,
        "image": spec.agent.image,
        "command": agent_command(spec),
        "benchmark": spec.benchmark,
        "mlectl": orchestrator.__version__,
        "cluster": cluster,
        "network": spec.network.mode,
        "network_allow": [peer.to_dict() for peer in spec.network.allow],
        "resources": spec.resources.to_dict(),
        "resumed_from": start.resume_from,
        "departures": departures(spec),
    }
