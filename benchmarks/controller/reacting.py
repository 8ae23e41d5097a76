"""From a pod that has ended to the grader's Job, with a thousand agents running."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.controller.figures import Figure, percentile
from benchmarks.controller.world import COMPETITIONS, open_lab
from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.informer import Informer
from orchestrator.cluster.kubernetes.kinds import JOBS, PODS, Object
from orchestrator.core.model import Role
from orchestrator.worker.orders import CourierOrder
from tests.cluster.lab import Lab
from tests.cluster.leavings import leave_everything
from tests.cluster.player import Life, Script, ended
from tests.cluster.rig.handle import ControlPlane

SEEDS = 14
ENDS, PAUSE_SECONDS = 150, 0.2
"""Agents that end, five a second: a thousand agents of a day end one in a minute and a half."""
MOST_SECONDS = 1.0
PATIENCE_SECONDS = 600.0

Run = tuple[str, str]
"""Competition and seed, as in labels."""


def measure(control_plane: ControlPlane) -> Iterator[Figure]:
    with open_lab(control_plane, node_count=2) as lab:  # of a thousand GPUs each
        lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT)
        lab.submit(competitions={"split": "all"}, seeds=SEEDS, parallelism=0)
        controller = lab.controller()
        count = SEEDS * len(COMPETITIONS)
        lab.wait(lambda: len(lab.player.played) == count, f"{count} agents run", PATIENCE_SECONDS)
        lab.wait(lambda: lab.status()["runs"]["running"] == count, "the status says so", PATIENCE_SECONDS)
        seconds = react(lab)
        controller.stop()
    note = f"median {percentile(seconds, 0.5):.2f} s, most {max(seconds):.2f} s, of {len(seconds)}"
    yield Figure(f"reaction p99 with {count:,} agents running", percentile(seconds, 0.99), "s", MOST_SECONDS, note)


def react(lab: Lab) -> list[float]:
    """Seconds from each end to its grader."""
    ends: dict[Run, float] = {}
    graders: dict[Run, float] = {}

    def note(old: Object | None, new: Object | None) -> None:
        if new is not None:
            graders.setdefault(run_of(new), time.monotonic())

    informer = Informer(lab.api, JOBS, [lab.system], f"{labels.ROLE}={Role.GRADE}")
    informer.on_change(note)
    informer.start()
    try:
        assert informer.wait_synced(60)
        for life in list(lab.player.lives.values())[:ENDS]:
            leave_everything(lab.stores, life.order("courier", CourierOrder), 1.0)
            end(lab, life)
            ends[run_of(life.pod)] = time.monotonic()
            time.sleep(PAUSE_SECONDS)
        lab.wait(lambda: graders.keys() >= ends.keys(), "every one of them has a grader")
    finally:
        informer.stop()
    return [max(0.0, graders[run] - ended_at) for run, ended_at in ends.items()]


def end(lab: Lab, life: Life) -> None:
    """As a kubelet reports it."""
    metadata = life.pod["metadata"]
    change = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {key: metadata[key] for key in ("name", "uid")},
        "status": ended(life.pod, 0),
    }
    lab.api.patch(PODS, metadata["namespace"], metadata["name"], change, subresource="status", how="apply")


def run_of(item: Object) -> Run:
    marked = item["metadata"]["labels"]
    return marked[labels.COMPETITION], marked[labels.SEED]
