"""What is kept of Jobs and pods: all that a task is read from, whether they come in a list or as news."""

import json

import pytest

from orchestrator.cluster.kubernetes.shapes import Job, Pod, keep, pages_of
from orchestrator.cluster.kubernetes.tasks import task_of
from tests.kubernetes.recordings import ENDINGS, heard, states, time_of

NAMES = sorted(path.stem for path in ENDINGS.glob("*.json"))
KINDS = {"jobs": Job, "pods": Pod}


@pytest.mark.parametrize("name", NAMES)
def test_a_task_is_the_same_with_what_is_kept_alone(name):
    for job, pods in states(heard(name)):
        now = time_of(job)
        assert task_of(keep(Job, job), [keep(Pod, pod) for pod in pods], now) == task_of(job, pods, now)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_a_list_tells_of_an_object_what_news_of_it_would(name, kind):
    found = [one["object"] for one in heard(name) if one["kind"] == kind and one["object"] is not None]
    page = json.dumps({"kind": "List", "metadata": {"resourceVersion": "7"}, "items": found}).encode()
    read = pages_of(KINDS[kind]).decode(page)
    assert read["items"] == [keep(KINDS[kind], item) for item in found]
    assert read["metadata"] == {"resourceVersion": "7"}


def test_what_is_not_kept_is_not_even_made():
    pod = {
        "metadata": {"name": "a", "labels": {"app": "b"}, "managedFields": [{}]},
        "spec": {"nodeName": "n", "containers": [{}]},
        "status": {"conditions": [{"type": "Ready", "lastProbeTime": None, "lastTransitionTime": None}]},
    }
    (read,) = pages_of(Pod).decode(json.dumps({"items": [pod]}).encode())["items"]
    assert read == keep(Pod, pod)
    assert read == {
        "metadata": {"name": "a", "labels": {}},
        "spec": {"nodeName": "n"},
        "status": {"conditions": [{"type": "Ready", "lastTransitionTime": None}]},
    }


@pytest.mark.parametrize("said", [b"not JSON", b"[]", b'{"items": [{"metadata": []}]}'])
def test_what_is_no_page_is_a_value_error(said):
    with pytest.raises(ValueError, match=r"."):
        pages_of(Job).decode(said)
