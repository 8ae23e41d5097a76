"""What a test holds of a control plane: kubeconfig, kubectl, namespaces, and the power to stop single components."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.rig import control_plane, fake_nodes, kubectl, processes
from tests.cluster.rig.kubectl import Object
from tests.cluster.rig.layout import Instance

RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


@dataclass(frozen=True)
class ControlPlane:
    """A running control plane. The names of its components: etcd, kube-apiserver, kube-controller-manager, ..."""

    rig: Instance

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.rig.kubeconfig

    def kubectl(self, *argv: str, input: str | None = None) -> str:
        """What the command prints; RigError with its words if it fails."""
        return kubectl.kubectl(self.rig, *argv, input=input)

    def get(self, *argv: str) -> Object:
        """`kubectl get`, as JSON."""
        found: Object = json.loads(self.kubectl("get", *argv, "--output=json"))
        return found

    def apply(self, *objects: Object) -> None:
        kubectl.apply(self.rig, objects)

    def start(self, component: str) -> None:
        """Have it running and healthy again."""
        control_plane.start(self.rig, component)

    def stop(self, component: str) -> None:
        """TERM, and wait."""
        processes.stop(self.rig, component)

    def kill(self, component: str) -> None:
        """KILL, as a crash would."""
        processes.kill(self.rig, component)

    def is_running(self, component: str) -> bool:
        return processes.is_running(self.rig, component)

    def have_fake_nodes(self, count: int) -> None:
        """At least this many made-up nodes: fake-000, fake-001, ..."""
        fake_nodes.up(self.rig, count)

    @contextmanager
    def namespace(self, *, restricted: bool = False, prefix: str = "test") -> Iterator[str]:
        """A fresh namespace; at the end its deletion is asked for, not waited for."""
        name = f"{prefix}-{uuid.uuid4().hex[:8]}"
        labels = RESTRICTED if restricted else {}
        metadata = {"name": name, "labels": labels}
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        try:
            yield name
        finally:
            self.kubectl("delete", "namespace", name, "--wait=false", "--ignore-not-found")
