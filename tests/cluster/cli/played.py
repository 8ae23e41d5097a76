"""The command line against a real API server: called as a person does, on experiments whose status a test writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from orchestrator.api.types import ExperimentRun
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, Object
from tests.cluster.crd import sound, write_status
from tests.cluster.rig.handle import ControlPlane

FIGURE = {"mean": 36.36, "sem": 1.52, "low95": 33.4, "high95": 39.3}
STARTED = "2026-03-01T12:00:00Z"


def row(competition: str, seed: int, state: str, **more: Any) -> Object:
    return {"competition": competition, "seed": seed, "state": state, "attempt": 1, **more}


RUNNING: dict[str, Any] = {
    "phase": "Running",
    "observedGeneration": 1,
    "startedAt": STARTED,
    "runs": {"total": 6, "graded": 2, "running": 1, "failed": 3},
    "summary": {"low": {"completeSeeds": 1, "anyMedalPercent": FIGURE}},
    "results": [
        row("leaf-classification", 1, "Running", attempt=2),
        row("AI4Code", 0, "Failed", reason="ImagePull"),
        row("AI4Code", 1, "Failed", reason="NodeLost", attempt=4),
        row("AI4Code", 2, "Failed", reason="Cancelled", attempt=0),
        row("leaf-classification", 0, "Graded", score=0.01, medal="gold", valid=True),
        row("leaf-classification", 2, "Graded", score=0.2, valid=True),
    ],
}


@dataclass(frozen=True)
class Played:
    """A namespace in which the test plays the controller."""

    api: Api
    namespace: str

    def create(self, name: str = "aide-lite", status: dict[str, Any] | None = None, **spec: Any) -> ExperimentRun:
        self.api.create(EXPERIMENTS, self.namespace, sound(name, **spec))
        if status:
            write_status(self.api, self.namespace, name, **status)
        return self.run(name)

    def object(self, name: str = "aide-lite") -> Object:
        found = self.api.get(EXPERIMENTS, self.namespace, name)
        assert found is not None
        return found

    def run(self, name: str = "aide-lite") -> ExperimentRun:
        return ExperimentRun.model_validate(self.object(name))

    def annotations(self, name: str = "aide-lite") -> dict[str, str]:
        found: dict[str, str] = self.object(name)["metadata"].get("annotations", {})
        return found

    def status(self, name: str = "aide-lite", **status: Any) -> None:
        write_status(self.api, self.namespace, name, **status)


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """The command in a process of its own, whose output can be read while it runs."""
    command = [sys.executable, "-u", "-m", "orchestrator.cli", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})


def write_file(path: Path, **metadata_and_spec: Any) -> Path:
    """An ExperimentRun as a file: `namespace` and `name` go into its metadata, the rest into its spec."""
    metadata = {key: metadata_and_spec.pop(key) for key in ("name", "namespace") if key in metadata_and_spec}
    body = sound(**metadata_and_spec)
    body["metadata"].update(metadata)
    path.write_text(yaml.safe_dump(body))
    return path


def write_kubeconfig(path: Path, control_plane: ControlPlane, *, context: str = "other", **changes: Any) -> Path:
    """A kubeconfig like the administrator's with another context: `server`, `token`, `namespace` as given."""
    known = yaml.safe_load(control_plane.kubeconfig.read_text())
    cluster, user = known["clusters"][0]["cluster"], known["users"][0]["user"]
    if "server" in changes:
        cluster["server"] = changes["server"]
    if "token" in changes:
        user = {"token": changes["token"]}
    inside = {"cluster": "c", "user": "u", **({"namespace": changes["namespace"]} if "namespace" in changes else {})}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": context,
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": context, "context": inside}],
    }
    path.write_text(json.dumps(content))
    return path
