"""The parts, and how they are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from benchmarks.controller import creating, reacting, requests, starting
from benchmarks.controller.figures import Figure
from benchmarks.controller.results import keep
from benchmarks.controller.world import spare_control_plane
from tests.cluster.rig.handle import ControlPlane

PARTS: dict[str, Callable[[ControlPlane], Iterator[Figure]]] = {
    "creating": creating.measure,
    "starting": starting.measure,
    "reacting": reacting.measure,
    "requests": requests.measure,
}


def measure(names: Iterable[str]) -> list[Figure]:
    """Each on a control plane of its own, so that none finds what another left; told as they come, and kept."""
    figures = []
    for name in names:
        with spare_control_plane() as control_plane:
            part = []
            for figure in PARTS[name](control_plane):
                print(f"  {'  '.join(figure.cells)}", flush=True)
                part.append(figure)
        keep(name, part)
        figures += part
    return figures
