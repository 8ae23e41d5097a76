"""A control plane of a benchmark's own, and what a controller needs on it."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from orchestrator.controller.facts import known_competitions
from orchestrator.storage import layout
from tests.cluster.lab import Lab
from tests.cluster.rig import control_plane as components
from tests.cluster.rig import sharing
from tests.cluster.rig.handle import ControlPlane

COMPETITIONS = [name for name, facts in known_competitions().items() if "all" in facts.splits]
BUSY = ("kube-scheduler", "kube-controller-manager")
"""Those that make work of every Job."""


@contextmanager
def spare_control_plane() -> Iterator[ControlPlane]:
    with sharing.spare() as rig:
        components.up(rig)
        yield ControlPlane(rig)


@contextmanager
def open_lab(control_plane: ControlPlane, node_count: int = 1) -> Iterator[Lab]:
    """Fresh namespaces, stores with every dataset, a player."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-controller-")))
        lab = Lab.open(
            control_plane,
            folder,
            lambda **options: stack.enter_context(control_plane.namespace(**options)),
            stack,
            node_count=node_count,
        )
        for name in COMPETITIONS:
            lab.stores.public.write(f"{layout.dataset_prefix('v1', name)}/{layout.MANIFEST}", b"{}")
            lab.stores.private.write(f"{layout.answers_prefix('v1', name)}/{layout.MANIFEST}", b"{}")
        yield lab


@contextmanager
def quiet(control_plane: ControlPlane) -> Iterator[None]:
    """Without those that make pods of Jobs."""
    for name in BUSY:
        control_plane.stop(name)
    try:
        yield
    finally:
        for name in reversed(BUSY):
            control_plane.start(name)


def spread(count: int) -> Iterator[tuple[str, int]]:
    """The first so many pairs of competition and seed, seed by seed."""
    return itertools.islice(((name, seed) for seed in itertools.count() for name in COMPETITIONS), count)
