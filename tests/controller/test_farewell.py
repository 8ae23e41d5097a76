"""Which Jobs are swept, and which are not."""

from types import SimpleNamespace

import pytest

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Listing
from orchestrator.controller.farewell import Farewell


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
