"""Made-up GPU nodes, kept alive by kwok: pods on them live as stages/pod.yaml says, and nothing runs."""

from pathlib import Path

from tests.cluster.rig import processes, programs
from tests.cluster.rig.kubectl import Object, apply, kubectl
from tests.cluster.rig.layout import FAKE_POD_CIDR, NODE_ADDRESS, Instance
from tests.cluster.rig.processes import Program

STAGES = Path(__file__).parent / "stages"
LABEL = "rig/node=fake"
CAPACITY = {"cpu": "36", "memory": "440Gi", "ephemeral-storage": "1Ti", "nvidia.com/gpu": "1", "pods": "110"}


def up(rig: Instance, count: int) -> None:
    """Have at least this many nodes, all ready."""
    argv = [
        programs.find("kwok"),
        f"--kubeconfig={rig.kubeconfig}",
        f"--manage-nodes-with-label-selector={LABEL}",
        f"--config={STAGES}/node.yaml",
        f"--config={STAGES}/pod.yaml",
        f"--cidr={FAKE_POD_CIDR}",
        f"--node-ip={NODE_ADDRESS}",
        "--node-lease-duration-seconds=40",
        f"--server-address=127.0.0.1:{rig.port('kwok')}",
    ]
    processes.start(rig, Program("kwok", argv))
    apply(rig, [node(f"fake-{number:03}") for number in range(count)])
    kubectl(rig, "wait", "--for=condition=Ready", "node", f"--selector={LABEL}", "--timeout=60s")


def down(rig: Instance) -> None:
    processes.stop(rig, "kwok")


def node(name: str) -> Object:
    labels = {"rig/node": "fake", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"capacity": CAPACITY, "allocatable": CAPACITY},
    }
