"""Nodes, pods and queues as an API server shows them; a test names only what matters."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from orchestrator.api.types import ExperimentRun, Placement, Resources, parse_quantity
from orchestrator.cli.doctor.examine import Wish, make_subject
from orchestrator.cli.doctor.installation import Installed
from orchestrator.cli.doctor.nodes import Node
from orchestrator.cli.doctor.subject import Subject
from orchestrator.cli.where import Where
from tests.kubernetes.build import settings

PUBLISHED = Resources()
ANYWHERE = Placement()


def node(name: str = "gpu-0", gpus: int = 1, cpu: str = "36", memory: str = "440Gi", **more: Any) -> Node:
    """A node of the published size."""
    has = {"cpu": cpu, "memory": memory, "ephemeral-storage": "1Ti", "nvidia.com/gpu": str(gpus)}
    amounts: dict[str, Decimal] = {key: parse_quantity(text) for key, text in has.items()}
    return Node(name, has=amounts, **more)


def experiment(**competitions: Any) -> ExperimentRun:
    """`experiment(split="demo")`."""
    spec = {"competitions": competitions, "agent": {"name": "any", "image": "registry.example/agent:1"}}
    written = {"apiVersion": "mlectl.dev/v1alpha1", "kind": "ExperimentRun", "metadata": {"name": "trial"}}
    return ExperimentRun.model_validate({**written, "spec": spec})


def subject(experiment: ExperimentRun | None = None, cluster: Any = None, **written: Any) -> Subject:
    """A sound installation with these settings, and what is to run in namespace runs."""
    installed = Installed("mlectl-system", {}, settings(**written))
    return make_subject(cluster, Wish(Where(namespace="runs"), experiment), installed)


def pod(state: dict[str, Any] | None = None, **status: Any) -> dict[str, Any]:
    containers = [{"state": state}] if state else []
    return {"spec": {"nodeName": "n"}, "status": {"phase": "Running", "containerStatuses": containers, **status}}


def cluster_queue(**quota: str) -> dict[str, Any]:
    resources = [{"name": name.replace("_", "/", 1), "nominalQuota": amount} for name, amount in quota.items()]
    return {"spec": {"resourceGroups": [{"flavors": [{"name": "any", "resources": resources}]}]}}
