"""Which Jobs are swept, and which are not."""

from types import SimpleNamespace

import pytest

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Listing
from orchestrator.controller.farewell import Farewell
from tests.core.build import experiment, facts


def job(uid, namespace="team"):
    marked = {labels.EXPERIMENT_UID: uid, labels.EXPERIMENT_NAMESPACE: namespace}
    return {"metadata": {"name": f"grade-{uid}", "namespace": "system", "uid": f"job-{uid}", "labels": marked}}


@pytest.mark.parametrize(
    "jobs, known, there, want",
    [
        pytest.param([job("a")], set(), [], ["grade-a"], id="its experiment is gone"),
        pytest.param([job("a")], {"a"}, [], [], id="its experiment is known"),
        pytest.param([job("a")], set(), ["a"], [], id="its experiment is there, and the news of it on its way"),
        pytest.param([job("a", "others")], set(), [], [], id="its experiment is another controller's"),
    ],
)
def test_a_job_is_swept_only_if_its_experiment_is_gone(jobs, known, there, want):
    deleted = []
    listing = Listing([{"metadata": {"uid": uid}} for uid in there], "1")
    cluster = SimpleNamespace(
        settings=SimpleNamespace(namespace="system", watch=("team",)),
        watched=SimpleNamespace(uids=lambda: set(known), jobs=SimpleNamespace(list=lambda namespace: jobs)),
        api=SimpleNamespace(list=lambda kind, namespace, trim: listing),
        delete=lambda found: deleted.append(found["metadata"]["name"]),
    )
    assert Farewell(cluster, None).sweep() == len(want)
    assert deleted == want


def prepare_job(competition="birds", version="v1"):
    marked = {labels.BENCHMARK: version, labels.COMPETITION: competition}
    return {"metadata": {"name": f"{version}-{competition}", "namespace": "system", "uid": "u", "labels": marked}}


def other(competition):
    return experiment(competitions={"ids": [competition]})


@pytest.mark.parametrize(
    "job, experiments, is_swept",
    [
        pytest.param(prepare_job(), [experiment()], False, id="an experiment needs it, whoever began it"),
        pytest.param(prepare_job(), [other("ants"), experiment()], False, id="one of several needs it"),
        pytest.param(prepare_job(), [], True, id="all experiments are gone"),
        pytest.param(prepare_job(), [other("ants")], True, id="those that are left need others"),
        pytest.param(prepare_job(version="v2"), [experiment()], True, id="those that are left need another version"),
        pytest.param(prepare_job(), [experiment(cancelled=True)], True, id="who is left was cancelled"),
    ],
)
def test_a_prepare_job_is_swept_once_nobody_needs_it(job, experiments, is_swept):
    deleted = []
    cluster = SimpleNamespace(
        settings=SimpleNamespace(namespace="system", watch=()),
        watched=SimpleNamespace(uids=set, jobs=SimpleNamespace(list=lambda namespace: [job])),
        experiments=lambda: iter(experiments),
        facts=facts("ants", "birds"),
        delete=lambda found: deleted.append(found["metadata"]["name"]),
    )
    assert Farewell(cluster, None).sweep() == is_swept
    assert deleted == ([job["metadata"]["name"]] if is_swept else [])
