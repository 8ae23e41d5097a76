"""The store in the cluster: reachable from pods and from here, and each identity can do its own work and no more."""

import io
from collections.abc import Callable

import pytest
from minio.error import S3Error

from orchestrator.storage.open import open_store
from tests.cluster.images.made import Images
from tests.cluster.rig import pods
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.pods import restricted_pod
from tests.cluster.rig.store import BUCKETS, ClusterStore

READERS = {"controller": BUCKETS, "grader": BUCKETS}
WRITERS = {"controller": BUCKETS, "grader": ("runs",)}
FETCH = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())"


@pytest.mark.parametrize("bucket", BUCKETS)
@pytest.mark.parametrize("who", ["controller", "grader"])
def test_an_identity_reads_and_writes_what_its_work_needs_and_no_more(
    store: ClusterStore, who: str, bucket: str
) -> None:
    store.client(store.owner).put_object(bucket, "kept", io.BytesIO(b"kept"), 4)
    client = store.client(getattr(store, who))

    assert can(lambda: client.get_object(bucket, "kept").read()) == (bucket in READERS[who])
    assert can(lambda: list(client.list_objects(bucket))) == (bucket in READERS[who])
    assert can(lambda: client.put_object(bucket, f"by-{who}", io.BytesIO(b"x"), 1)) == (bucket in WRITERS[who])
    assert can(lambda: client.remove_object(bucket, f"by-{who}")) == (bucket in WRITERS[who])


@pytest.mark.parametrize("who", ["controller", "grader"])
def test_no_identity_of_ours_makes_buckets(store: ClusterStore, who: str) -> None:
    assert not can(lambda: store.client(getattr(store, who)).make_bucket("another"))


@pytest.mark.parametrize("bucket", BUCKETS)
def test_without_a_key_nothing_is_read_listed_or_written(
    control_plane: ControlPlane, store: ClusterStore, images: Images, restricted_namespace: str, bucket: str
) -> None:
    store.client(store.owner).put_object(bucket, "kept", io.BytesIO(b"kept"), 4)
    script = f"""
import urllib.error, urllib.request
for method, path in (("GET", "kept"), ("GET", ""), ("PUT", "new")):
    body = b"x" if method == "PUT" else None
    request = urllib.request.Request("{store.endpoint_by_name}/{bucket}/" + path, method=method, data=body)
    try:
        print(method, urllib.request.urlopen(request, timeout=10).status)
    except urllib.error.HTTPError as error:
        print(method, error.code)
"""
    pod = restricted_pod(restricted_namespace, "stranger", images.dummy, "python3", "-c", script)

    assert pods.run(control_plane, pod).log.splitlines() == ["GET 403", "GET 403", "PUT 403"]


def test_the_projects_own_store_opens_it_from_here(store: ClusterStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in store.controller.environment.items():
        monkeypatch.setenv(name, value)
    runs = open_store(store.url("runs"))

    runs.write("from-here", b"hello")

    assert runs.read("from-here") == b"hello"


def test_a_pod_reads_by_name_what_a_presigned_url_allows(
    control_plane: ControlPlane, store: ClusterStore, images: Images, restricted_namespace: str
) -> None:
    store.client(store.controller).put_object("runs", "note", io.BytesIO(b"hello, pod"), 10)
    url = store.client(store.controller, by_name=True).presigned_get_object("runs", "note")

    ended = pods.run(
        control_plane, restricted_pod(restricted_namespace, "reader", images.dummy, "python3", "-c", FETCH, url)
    )

    assert ended.log == "hello, pod\n"


def can(act: Callable[[], object]) -> bool:
    """Does the store allow it? Anything but a plain refusal is an error."""
    try:
        act()
    except S3Error as error:
        if error.code != "AccessDenied":
            raise
        return False
    return True
