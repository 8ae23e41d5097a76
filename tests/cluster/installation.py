"""mlectl as its chart installs it, on the true node: controller, validation service and canary in pods."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster.images.made import Images
from tests.cluster.rig import programs
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.store import PORT, PRIVATE, PUBLIC, REGION, RUNS, ClusterStore
from tests.s3server import Account

CHART = Path(__file__).parents[2] / "helm" / "mlectl"
RELEASE = "mlectl"
HERE = {"rig/node": "real"}
"""Made-up nodes would take the pods too, and run nothing."""

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Installation:
    """A release that is ready."""

    plane: ControlPlane
    system: str
    agents: str
    store: ClusterStore
    images: Images

    def helm(self, *argv: str, values: Values | None = None) -> str:
        return helm(self.plane, *argv, f"--namespace={self.system}", values=values)


@contextmanager
def install(plane: ControlPlane, store: ClusterStore, images: Images, **more: Any) -> Iterator[Installation]:
    """The chart with values for the rig; `more` are top-level values that win."""
    with plane.namespace(restricted=True, prefix="system") as system, plane.namespace(restricted=True) as agents:
        plane.apply(secret(system, "store-controller", store.controller), secret(system, "store-grader", store.grader))
        installed = Installation(plane, system, agents, store, images)
        installed.helm("install", RELEASE, str(CHART), values={**rig_values(installed), **more})
        for name in ("controller", "validation", "canary"):
            plane.kubectl(
                "rollout", "status", f"--namespace={system}", f"deployment/{RELEASE}-{name}", "--timeout=180s"
            )
        yield installed
        installed.helm("uninstall", RELEASE)


def rig_values(here: Installation) -> dict[str, Any]:
    """Small amounts, the rig's images, its store."""
    small = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
    repository, _, tag = here.images.orchestrator.rpartition(":")
    return {
        "image": {"repository": repository, "tag": tag, "pullPolicy": "Never"},
        "crd": {"install": False},
        "agents": {"namespaces": [here.agents], "createNamespaces": False, "nodeSelector": HERE},
        "controller": {"replicas": 1, "resources": small, "nodeSelector": HERE, "collectionSeconds": 60},
        "validation": {"replicas": 1, "resources": small, "nodeSelector": HERE, "storage": "1Gi"},
        "canary": {"nodeSelector": HERE},
        "workers": {
            "nodeSelector": HERE,
            "prepare": {"cpu": "500m", "memory": "1Gi", "storage": "1Gi"},
            "grade": {"cpu": "500m", "memory": "1Gi", "storage": "1Gi"},
            "courier": {"cpu": "50m", "memory": "128Mi"},
        },
        "store": {
            "endpoint": here.store.endpoint,
            "region": REGION,
            "buckets": {"public": PUBLIC, "private": PRIVATE, "runs": RUNS},
            "controllerSecret": "store-controller",
            "graderSecret": "store-grader",
            "peers": [here.store.peer],
            "ports": [PORT],
        },
        "network": {"holdSeconds": 1},
    }


def secret(namespace: str, name: str, identity: Account) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": identity.environment}


def helm(plane: ControlPlane, *argv: str, values: Values | None = None) -> str:
    given = ["--values=-"] if values is not None else []
    done = subprocess.run(
        [programs.find("helm"), f"--kubeconfig={plane.kubeconfig}", *argv, *given],
        input=None if values is None else json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RigError(f"helm {' '.join(argv)} failed: {done.stderr.strip()}")
    return done.stdout
