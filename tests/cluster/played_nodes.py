"""Nodes whose kubelet is a test: they are Ready for as long as somebody renews their leases, and nothing runs on them.

The made-up nodes of the rig belong to kwok, which ends every pod after a second; on these a `Player` decides. They are
tainted, so that only pods that are meant for them come.
"""

from __future__ import annotations

import threading
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import AlreadyExists, ApiError
from orchestrator.cluster.kubernetes.kinds import LEASES, Kind

NODES = Kind("", "v1", "nodes", "Node", namespaced=False)
LABEL = "rig/player"
RENEW_SECONDS = 5.0
ROOM = {"cpu": "36", "memory": "440Gi", "ephemeral-storage": "4Ti", "nvidia.com/gpu": "1", "pods": "110"}
"""One agent of the published size."""
WIDE = {"cpu": "100k", "memory": "1000Ti", "ephemeral-storage": "1000Ti", "nvidia.com/gpu": "1000", "pods": "2000"}
"""As many agents as a test likes."""


class PlayedNodes:
    """Some nodes of one test, told apart from those of others by a label of their own."""

    def __init__(self, api: Api, count: int = 1, room: dict[str, str] | None = None) -> None:
        self.api = api
        self.id = uuid.uuid4().hex[:8]
        self.names = [f"played-{self.id}-{number}" for number in range(count)]
        self.room = room or WIDE
        self.silent: set[str] = set()
        """Nodes that nobody hears of."""
        self._stopping = threading.Event()
        self._heart = threading.Thread(target=self._beat, name="played-nodes", daemon=True)

    @property
    def placement(self) -> dict[str, Any]:
        """What the spec of an ExperimentRun says to get here, and likewise the settings of prepare and grade."""
        return {
            "nodeSelector": {LABEL: self.id},
            "tolerations": [{"key": LABEL, "operator": "Equal", "value": self.id, "effect": "NoSchedule"}],
        }

    def start(self) -> None:
        for name in self.names:
            self.create(name)
        self._heart.start()

    def stop(self) -> None:
        self._stopping.set()
        self._heart.join()
        for name in self.names:
            with suppress(ApiError):
                self.api.delete(NODES, None, name)

    def create(self, name: str) -> None:
        labels = {LABEL: self.id, "kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
        taint = {"key": LABEL, "value": self.id, "effect": "NoSchedule"}
        node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": labels}}
        with suppress(AlreadyExists):
            self.api.create(NODES, None, {**node, "spec": {"taints": [taint]}})
        self._renew(name)
        self._report(name)

    def _report(self, name: str) -> None:
        """That it is well: the node controller has to hear it again once it has missed the lease."""
        now = _now(microseconds=False)
        ready = {"type": "Ready", "status": "True", "reason": "Played", "message": "A test is its kubelet."}
        status = {
            "capacity": self.room,
            "allocatable": self.room,
            "conditions": [{**ready, "lastHeartbeatTime": now, "lastTransitionTime": now}],
        }
        self.api.patch(NODES, None, name, {"status": status}, subresource="status")

    def lose(self, name: str) -> None:
        """Nobody hears of it any more: the node controller notices after its patience."""
        self.silent.add(name)

    def find(self, name: str) -> None:
        """It is back."""
        self.silent.discard(name)
        self.create(name)

    def _beat(self) -> None:
        while not self._stopping.wait(RENEW_SECONDS):
            for name in self.names:
                if name not in self.silent:
                    with suppress(ApiError):
                        self._renew(name)
                        self._report(name)

    def _renew(self, name: str) -> None:
        spec = {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": _now()}
        lease = {"apiVersion": LEASES.api_version, "kind": "Lease", "metadata": {"name": name}, "spec": spec}
        self.api.patch(LEASES, "kube-node-lease", name, lease, how="apply")


def _now(*, microseconds: bool = True) -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ" if microseconds else "%Y-%m-%dT%H:%M:%SZ")
