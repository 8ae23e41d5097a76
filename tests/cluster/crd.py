"""ExperimentRuns on a real API server: the definition installed, and objects written as a user and a controller do."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.connection import Connection
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, Object
from orchestrator.cluster.kubernetes.kubeconfig import find_target
from tests.api.conftest import SOUND
from tests.cluster.rig.handle import ControlPlane

MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"
DEFINITION = "experimentruns.mlectl.dev"


def install(control_plane: ControlPlane) -> None:
    """As the README says; harmless when repeated."""
    control_plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(MANIFESTS / "crd"))
    wait_until_established(control_plane)


def wait_until_established(control_plane: ControlPlane, name: str = DEFINITION) -> None:
    """As `kubectl wait` would, but that fails on one so new that it has no conditions at all."""
    deadline = time.monotonic() + 60
    while not is_established(control_plane, name):
        assert time.monotonic() < deadline, f"the definition {name} was not taken up within a minute"
        time.sleep(0.1)


def is_established(control_plane: ControlPlane, name: str = DEFINITION) -> bool:
    status = control_plane.get(f"crd/{name}").get("status") or {}
    return any((one["type"], one["status"]) == ("Established", "True") for one in status.get("conditions") or ())


def sound(name: str = "aide-lite", **spec: Any) -> Object:
    """A sound ExperimentRun with keys of its spec replaced."""
    body = copy.deepcopy(SOUND)
    body["metadata"]["name"] = name
    body["spec"].update(spec)
    return body


@dataclass(frozen=True)
class Strict:
    """Tries objects out without keeping them, as strictly as kubectl does."""

    connection: Connection
    namespace: str

    @classmethod
    def on(cls, control_plane: ControlPlane, namespace: str) -> Strict:
        return cls(Connection(find_target(control_plane.kubeconfig)), namespace)

    def create(self, body: Object) -> None:
        """ApiError if the API server would refuse it."""
        query = {"dryRun": "All", "fieldValidation": "Strict"}
        path = EXPERIMENTS.path(self.namespace)
        self.connection.ask("POST", path, "create", query=query, body=body, seconds=30).read()


def write_status(api: Api, namespace: str, name: str, **status: Any) -> Object:
    """As the controller does."""
    return api.patch(EXPERIMENTS, namespace, name, {"status": status}, subresource="status")
