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
AUTHORITY = "store-authority"
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
        if store.authority:
            plane.apply(*(authority(namespace, store.authority) for namespace in (system, agents)))
        installed = Installation(plane, system, agents, store, images)
        values = {**small_values(images, agents), "store": store_values(store), **more}
        installed.helm("install", RELEASE, str(CHART), values=values)
        for name in ("controller", "validation", "canary"):
            plane.kubectl(
                "rollout", "status", f"--namespace={system}", f"deployment/{RELEASE}-{name}", "--timeout=180s"
            )
        yield installed
        installed.helm("uninstall", RELEASE)


def small_values(images: Images, agents: str) -> dict[str, Any]:
    """Small amounts on the true node with the rig's images; everything but the store."""
    small = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
    repository, _, tag = images.orchestrator.rpartition(":")
    return {
        "image": {"repository": repository, "tag": tag, "pullPolicy": "Never"},
        "crd": {"install": False},
        "agents": {"namespaces": [agents], "createNamespaces": False, "nodeSelector": HERE},
        "controller": {"replicas": 1, "resources": small, "nodeSelector": HERE, "collectionSeconds": 60},
        "validation": {"replicas": 1, "resources": small, "nodeSelector": HERE, "storage": "1Gi"},
        "canary": {"nodeSelector": HERE},
        "workers": {
            "nodeSelector": HERE,
            "prepare": {"cpu": "500m", "memory": "1Gi", "storage": "1Gi"},
            "grade": {"cpu": "500m", "memory": "1Gi", "storage": "1Gi"},
            "courier": {"cpu": "50m", "memory": "128Mi"},
        },
        "network": {"holdSeconds": 1},
        # To everybody, so that what keeps an agent from the controller is the agent's own policy (test_isolation.py).
        "networkPolicies": {"monitoring": [{"namespaceSelector": {}}]},
        "test": {"agentImage": images.dummy, "nodeSelector": HERE},
    }


def store_values(store: ClusterStore) -> dict[str, Any]:
    """A store that is there already."""
    return {
        "endpoint": store.endpoint,
        "region": REGION,
        "buckets": {"public": PUBLIC, "private": PRIVATE, "runs": RUNS},
        "controllerSecret": "store-controller",
        "graderSecret": "store-grader",
        "peers": [store.peer],
        "ports": [PORT],
        "caConfigMap": AUTHORITY if store.authority else "",
    }


def secret(namespace: str, name: str, identity: Account) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": identity.environment}


def authority(namespace: str, certificate: str) -> dict[str, Any]:
    """Whom to trust for the store."""
    metadata = {"name": AUTHORITY, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"ca.crt": certificate}}


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
