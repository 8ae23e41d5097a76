"""Pods for tests, as strict as Pod Security's restricted profile asks, and how they ended."""

import time
from dataclasses import dataclass
from typing import Any

from tests.cluster.rig.errors import RigError
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.kubectl import Object
from tests.cluster.rig.layout import NODE

POD_SECURITY = {
    "runAsUser": 1000,
    "runAsGroup": 1000,
    "fsGroup": 1000,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
CONTAINER_SECURITY = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


@dataclass(frozen=True)
class Ended:
    """How a pod of one container ended, and what it said."""

    phase: str
    exit_code: int
    log: str


def restricted_pod(namespace: str, name: str, image: str, *command: str, **container: Any) -> Object:
    """One container on the true node; more fields of the container by name, such as env."""
    settings = {"name": "main", "image": image, "command": command, "securityContext": CONTAINER_SECURITY}
    spec = {
        "restartPolicy": "Never",
        "nodeSelector": {"kubernetes.io/hostname": NODE},
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 1,
        "securityContext": POD_SECURITY,
        "containers": [{**settings, **container}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def run(plane: ControlPlane, pod: Object, within_seconds: float = 120) -> Ended:
    """Start it and wait until it has ended."""
    plane.apply(pod)
    name, place = pod["metadata"]["name"], f"--namespace={pod['metadata']['namespace']}"
    deadline = time.monotonic() + within_seconds
    while (status := plane.get("pod", name, place)["status"])["phase"] not in ("Succeeded", "Failed"):
        if time.monotonic() > deadline:
            raise RigError(f"The pod {name} did not end within {within_seconds:.0f} s; its status: {status}")
        time.sleep(0.2)
    exit_code = status["containerStatuses"][0]["state"]["terminated"]["exitCode"]
    return Ended(status["phase"], exit_code, plane.kubectl("logs", name, place))
