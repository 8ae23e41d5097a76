"""What the controller costs on a real control plane: creating, starting, idling, reacting, requests and writes.

Needs the rig of tests/cluster (make cluster-build); a control plane of its own is brought up and taken down again.
Nothing runs on its nodes: a player stands in for kubelets and workers, and the stores are folders.
`python -m benchmarks.controller --only creating,requests --write` measures parts, and renews the page.
"""

from __future__ import annotations

from benchmarks.controller.measure import PARTS, measure
from benchmarks.controller.table import show
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.programs import find

__all__ = ["run"]


def run() -> bool:
    """Measure and print; whether all targets are met."""
    try:
        for program in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"):
            find(program)
    except RigError as error:
        print(f"not measured: {error}")
        return False
    figures = measure(PARTS)
    show(figures)
    return all(figure.is_met for figure in figures)
