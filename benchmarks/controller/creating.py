"""Creating the first Jobs of an experiment, against a bare loop of the same requests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime

from benchmarks.controller.figures import Figure
from benchmarks.controller.world import open_lab, quiet
from orchestrator.api.key import Key
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.cluster import KubernetesCluster
from orchestrator.cluster.kubernetes.kinds import JOBS, Object
from orchestrator.cluster.kubernetes.settings import load_settings
from orchestrator.cluster.kubernetes.watched import Watched
from orchestrator.controller.facts import known_competitions
from orchestrator.controller.reconcile import Reconciler
from orchestrator.controller.serve import STARTS_AT_ONCE
from orchestrator.controller.stores import OpenStores
from tests.cluster.lab import Lab
from tests.cluster.rig.handle import ControlPlane

RUNS, SEEDS, ROUNDS = 225, 3, 3
MOST = 1.5


def measure(control_plane: ControlPlane) -> Iterator[Figure]:
    ours, bare = [], []
    with quiet(control_plane):
        for _ in range(ROUNDS):
            with open_lab(control_plane) as lab:
                ours.append(time_controller(lab))
                jobs = lab.jobs("agent")
            assert len(jobs) == RUNS, f"{len(jobs)} Jobs were created"
            with open_lab(control_plane) as lab:
                bare.append(time_loop(lab, [as_new(job, lab.agents) for job in jobs]))
    note = f"{min(ours):.2f} s for {RUNS} Jobs, a loop {min(bare):.2f} s; best of {ROUNDS}"
    yield Figure("creating: reconcile / loop of POSTs", min(ours) / min(bare), most=MOST, note=note)


def time_controller(lab: Lab) -> float:
    """One reconcile with everything that it does."""
    lab.submit(competitions={"split": "all"}, seeds=SEEDS, parallelism=0)
    api, settings, facts = Api.connect(lab.kubeconfig), load_settings(lab.config), known_competitions()
    watched = Watched(api, settings)
    reconciler = Reconciler(
        KubernetesCluster(api, watched, settings, {}), OpenStores.of(settings.stores), facts, at_once=STARTS_AT_ONCE
    )
    watched.start()
    try:
        assert watched.wait_synced(60)
        began = time.perf_counter()
        reconciler.reconcile(Key(lab.agents, "trial"), datetime.now(UTC))
        return time.perf_counter() - began
    finally:
        watched.stop()


def time_loop(lab: Lab, jobs: list[Object]) -> float:
    api = Api.connect(lab.kubeconfig)
    began = time.perf_counter()
    for job in jobs:
        api.create(JOBS, lab.agents, job)
    return time.perf_counter() - began


def as_new(job: Object, namespace: str) -> Object:
    """As it was when the controller sent it, for another namespace."""
    kept = {key: job["metadata"][key] for key in ("name", "labels", "annotations") if key in job["metadata"]}
    spec = {key: value for key, value in job["spec"].items() if key != "selector"}
    template = spec["template"]
    marks = {key: value for key, value in template["metadata"]["labels"].items() if "controller-uid" not in key}
    marks = {key: value for key, value in marks.items() if "job-name" not in key}
    spec["template"] = template | {"metadata": template["metadata"] | {"labels": marks}}
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.name,
        "metadata": kept | {"namespace": namespace},
        "spec": spec,
    }
