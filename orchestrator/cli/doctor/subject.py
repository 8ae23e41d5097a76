"""Whom the doctor examines: one installation of mlectl on one cluster, and the experiment that is to run there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import catalog
from orchestrator.api.types import ExperimentRunSpec, Placement, Toleration
from orchestrator.cli.doctor.check import Check, Verdict
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.connection import Connection
from orchestrator.cluster.kubernetes.errors import ApiError, Forbidden, NotFound, NotServed
from orchestrator.cluster.kubernetes.kinds import Kind, Object
from orchestrator.cluster.kubernetes.settings import Settings

DEPLOYMENTS = Kind("apps", "v1", "deployments", "Deployment")
DAEMON_SETS = Kind("apps", "v1", "daemonsets", "DaemonSet")
CONFIG_MAPS = Kind("", "v1", "configmaps", "ConfigMap")
NODES = Kind("", "v1", "nodes", "Node", namespaced=False)
DEFINITIONS = Kind("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False)


@dataclass(frozen=True)
class Cluster:
    """A way to an API server, and how people call it."""

    api: Api
    connection: Connection
    label: str


@dataclass(frozen=True)
class Subject:
    """What there is to examine, as far as it is known."""

    cluster: Cluster
    system: str | None
    """The namespace of the controller; None: it was not found."""
    agents: str
    """The namespace of experiments."""
    settings: Settings | None
    """As the controller has them; None: they can't be read."""
    spec: ExperimentRunSpec
    """What is to run; the published setting if nobody said anything else."""
    spec_given: bool

    @property
    def api(self) -> Api:
        return self.cluster.api

    @property
    def placement(self) -> Placement:
        """Where the agents would run: as the spec says, else as the settings do."""
        chosen, usual = self.spec.placement, self.settings.agents if self.settings else None
        if usual is None:
            return chosen
        return Placement(
            node_selector=dict(chosen.node_selector or usual.node_selector),
            tolerations=chosen.tolerations or tuple(map(Toleration.model_validate, usual.tolerations)),
            runtime_class_name=chosen.runtime_class_name or usual.runtime_class_name or None,
            priority_class_name=chosen.priority_class_name or usual.priority_class_name or None,
            queue=chosen.queue or usual.queue or None,
        )

    @property
    def competitions(self) -> list[str]:
        """Of what is to run."""
        wanted = self.spec.competitions
        named = list(wanted.ids) if wanted.ids is not None else catalog.ids(wanted.split or "all")
        return [one for one in named if one not in wanted.exclude]


def shielded(name: str, look: Callable[[], Iterable[Check]], *, if_forbidden: Verdict = "warning") -> Iterator[Check]:
    """The lines of a family; what the API server refuses is a line too, and stops no other family."""
    try:
        yield from look()
    except Forbidden as error:
        yield Check(name, if_forbidden, f"not looked at: {error.message}", "run it as somebody who has that right")
    except NotFound as error:
        yield Check(name, "problem", error.message, "create it, or choose another namespace with -n")
    except NotServed as error:
        yield Check(name, "warning", f"not looked at: {error.message}")
    except ApiError as error:
        yield Check(name, "problem", error.message, "check the API server with `kubectl cluster-info`")


def name_of(item: Object) -> str:
    return str(item["metadata"]["name"])
