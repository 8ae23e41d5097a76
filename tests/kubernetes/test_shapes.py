"""What is read of Jobs and pods in lists: all that is kept of them, and not a field less."""

import json

import pytest

from orchestrator.cluster.kubernetes.shapes import Job, Pod, pages_of
from orchestrator.cluster.kubernetes.watched import lean_job, lean_pod
from tests.kubernetes.recordings import ENDINGS, heard

KEPT = {"jobs": (Job, lean_job), "pods": (Pod, lean_pod)}


@pytest.mark.parametrize("kind", KEPT)
@pytest.mark.parametrize("name", sorted(path.stem for path in ENDINGS.glob("*.json")))
def test_a_list_tells_of_an_object_what_the_whole_object_would(name, kind):
    shape, lean = KEPT[kind]
    found = [one["object"] for one in heard(name) if one["kind"] == kind and one["object"] is not None]
    page = json.dumps({"kind": "List", "metadata": {"resourceVersion": "7"}, "items": found}).encode()
    read = pages_of(shape).decode(page)
    assert [lean(item) for item in read["items"]] == [lean(item) for item in found]
    assert read["metadata"] == {"resourceVersion": "7"}


def test_what_is_not_kept_is_not_even_made():
    pod = {
        "metadata": {"name": "a", "managedFields": [{}]},
        "spec": {"nodeName": "n", "containers": [{}]},
        "status": {},
    }
    (read,) = pages_of(Pod).decode(json.dumps({"items": [pod]}).encode())["items"]
    assert read == {"metadata": {"name": "a"}, "spec": {"nodeName": "n"}, "status": {}}


@pytest.mark.parametrize("said", [b"not JSON", b"[]", b'{"items": [{"metadata": []}]}'])
def test_what_is_no_page_is_a_value_error(said):
    with pytest.raises(ValueError, match=r"."):
        pages_of(Job).decode(said)
