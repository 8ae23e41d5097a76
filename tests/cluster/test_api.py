"""The client on a real API server: each verb, and each way in which it is refused."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from orchestrator.cluster.kubernetes import api as api_module
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    NotServed,
    Unauthorized,
    Unavailable,
)
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, JOBS, LEASES, PODS, Kind, Object
from tests.cluster import crd
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.road import Road


@pytest.fixture
def api(control_plane: ControlPlane) -> Iterator[Api]:
    api = Api.connect(control_plane.kubeconfig)
    yield api
    api.close()


def lease(name: str, holder: str = "me", **labels: str) -> Object:
    """The smallest object that is there on every API server and that no controller touches."""
    return {"metadata": {"name": name, "labels": labels}, "spec": {"holderIdentity": holder}}


def test_an_object_is_made_read_changed_and_deleted(api: Api, namespace: str) -> None:
    made = api.create(LEASES, namespace, lease("a"))
    assert api.get(LEASES, namespace, "a") == made
    changed = api.patch(LEASES, namespace, "a", {"spec": {"holderIdentity": None, "leaseDurationSeconds": 5}})
    assert changed["spec"] == {"leaseDurationSeconds": 5}
    assert api.delete(LEASES, namespace, "a") is True
    assert api.get(LEASES, namespace, "a") is None
    assert api.delete(LEASES, namespace, "a") is False


def test_a_name_that_is_taken_is_refused(api: Api, namespace: str) -> None:
    api.create(LEASES, namespace, lease("a"))
    with pytest.raises(AlreadyExists, match='"a" already exists'):
        api.create(LEASES, namespace, lease("a"))


def test_only_the_one_that_is_meant_is_deleted(api: Api, namespace: str) -> None:
    first = api.create(LEASES, namespace, lease("a"))
    api.delete(LEASES, namespace, "a", first["metadata"]["uid"])
    second = api.create(LEASES, namespace, lease("a"))
    assert api.delete(LEASES, namespace, "a", first["metadata"]["uid"]) is False
    assert api.get(LEASES, namespace, "a") == second
    assert api.delete(LEASES, namespace, "a", second["metadata"]["uid"]) is True


def test_a_change_of_an_older_version_is_refused(api: Api, namespace: str) -> None:
    old = api.create(LEASES, namespace, lease("a"))
    api.patch(LEASES, namespace, "a", {"spec": {"holderIdentity": "another"}})
    version = {"resourceVersion": old["metadata"]["resourceVersion"]}
    with pytest.raises(Conflict, match="has been modified"):
        api.patch(LEASES, namespace, "a", {"metadata": version, "spec": {"holderIdentity": "me"}})


def test_an_applied_object_is_made_and_taken_over(api: Api, namespace: str, control_plane: ControlPlane) -> None:
    wanted = {"apiVersion": LEASES.api_version, "kind": LEASES.name, **lease("a")}
    api.patch(LEASES, namespace, "a", wanted, how="apply")
    taken = json.dumps({"spec": {"holderIdentity": "kubectl"}})
    control_plane.kubectl("patch", "lease", "a", f"--namespace={namespace}", "--type=merge", f"--patch={taken}")
    assert api.patch(LEASES, namespace, "a", wanted, how="apply")["spec"]["holderIdentity"] == "me"
    there = api.get(LEASES, namespace, "a")
    assert there is not None
    assert {entry["manager"] for entry in there["metadata"]["managedFields"]} == {"mlectl"}


def test_a_subresource_is_changed_alone(api: Api, namespace: str) -> None:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "none"}]}}
    api.create(JOBS, namespace, {"metadata": {"name": "a"}, "spec": {"suspend": True, "template": template}})
    change = {"metadata": {"labels": {"x": "y"}}, "spec": {"suspend": False}, "status": {"ready": 0}}
    api.patch(JOBS, namespace, "a", change, subresource="status")
    there = api.get(JOBS, namespace, "a")
    assert there is not None
    assert there["spec"]["suspend"] is True


def test_a_list_has_many_pages_and_one_moment(api: Api, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_module, "PAGE", 4)
    for n in range(10):
        api.create(LEASES, namespace, lease(f"l{n}", parity=str(n % 2)))
    requests: list[str] = []
    api.on_request = lambda verb, kind, status, seconds: requests.append(verb)
    late: list[Object] = []

    def slow(item: Object) -> Object:
        """Another object comes while the first page is read."""
        if not late:
            late.append(api.create(LEASES, namespace, lease("late")))
        return item

    listing = api.list(LEASES, namespace, trim=slow)
    assert sorted(item["metadata"]["name"] for item in listing.items) == [f"l{n}" for n in range(10)]
    assert requests == ["list", "create", "list", "list"]
    news = next(iter(api.watch(LEASES, namespace, "", listing.resource_version)))
    assert (news.type, news.object["metadata"]["name"]) == ("ADDED", "late")
    odd = api.list(LEASES, namespace, "parity=1")
    assert sorted(item["metadata"]["name"] for item in odd.items) == [f"l{n}" for n in range(1, 10, 2)]


def test_news_comes_in_order(api: Api, namespace: str) -> None:
    version = api.list(LEASES, namespace).resource_version
    api.create(LEASES, namespace, lease("a"))
    api.patch(LEASES, namespace, "a", {"spec": {"holderIdentity": "you"}})
    api.delete(LEASES, namespace, "a")
    watch = iter(api.watch(LEASES, namespace, "", version))
    assert [next(watch).type for _ in range(3)] == ["ADDED", "MODIFIED", "DELETED"]


def test_a_watch_ends_at_once_when_another_thread_closes_it(api: Api, namespace: str) -> None:
    watch = api.watch(LEASES, namespace, "", api.list(LEASES, namespace).resource_version)
    began = threading.Event()
    ended = threading.Event()

    def read() -> None:
        began.set()
        assert list(watch) == []
        ended.set()

    threading.Thread(target=read, daemon=True).start()
    assert began.wait(5)
    assert not ended.wait(0.3)
    watch.close()
    assert ended.wait(1)
    assert api.list(LEASES, namespace).items == []


def test_a_version_that_is_too_old_means_list_again(api: Api, namespace: str, control_plane: ControlPlane) -> None:
    """Of a kind that came later, nothing is known from the beginning; of others, a young API server still knows it."""
    crd.install(control_plane)
    with pytest.raises(Gone, match="too old resource version"):
        next(iter(api.watch(EXPERIMENTS, namespace, "", "1")))


def test_an_object_against_a_rule_gets_the_servers_sentence(api: Api, namespace: str) -> None:
    with pytest.raises(Invalid, match=r"spec.leaseDurationSeconds: Invalid value: -1: must be greater than 0"):
        api.create(LEASES, namespace, {"metadata": {"name": "a"}, "spec": {"leaseDurationSeconds": -1}})


def test_what_is_not_there(api: Api, namespace: str) -> None:
    with pytest.raises(NotFound, match='namespaces "not-there" not found'):
        api.create(LEASES, "not-there", lease("a"))
    with pytest.raises(NotFound, match='"a" not found'):
        api.patch(LEASES, namespace, "a", {"spec": {}})
    with pytest.raises(NotFound, match='pods "a" not found'):
        api.logs(namespace, "a", "agent")
    with pytest.raises(NotServed, match="is its CRD installed"):
        api.list(Kind("mlectl.dev", "v1alpha1", "nothings", "Nothing"), namespace)


def test_who_may_not_and_who_is_unknown(api: Api, namespace: str, control_plane: ControlPlane, tmp_path: Path) -> None:
    control_plane.kubectl("create", "serviceaccount", "nobody", f"--namespace={namespace}")
    token = control_plane.kubectl("create", "token", "nobody", f"--namespace={namespace}").strip()
    nobody = Api.connect(with_token(control_plane.kubeconfig, tmp_path / "nobody", token))
    with pytest.raises(Forbidden, match='cannot list resource "leases"'):
        nobody.list(LEASES, namespace)
    unknown = Api.connect(with_token(control_plane.kubeconfig, tmp_path / "unknown", "made-up"))
    with pytest.raises(Unauthorized, match="log in again"):
        unknown.list(LEASES, namespace)


def test_many_threads_share_one_api(api: Api, namespace: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda n: api.create(LEASES, namespace, lease(f"l{n}")), range(80)))
    assert {item["metadata"]["name"] for item in made} == {f"l{n}" for n in range(80)}
    assert len(api.list(LEASES, namespace).items) == 80


def test_an_outage_is_survived_and_connections_are_kept(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    road = Road(control_plane.kubeconfig, tmp_path)
    api = Api.connect(road.kubeconfig)
    for n in range(5):
        api.create(LEASES, namespace, lease(f"l{n}"))
    assert road.connections == 1
    road.cut()
    with pytest.raises(Unavailable, match="refused"):
        api.list(LEASES, namespace)
    road.mend()
    assert len(api.list(LEASES, namespace).items) == 5
    road.block()
    started = time.monotonic()
    with pytest.raises(Unavailable, match="does not answer"):
        api.within(0.5).get(LEASES, namespace, "l0")
    assert time.monotonic() - started < 5
    road.close()


def test_a_server_whose_certificate_is_not_trusted_is_not_talked_to(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    content = yaml.safe_load(control_plane.kubeconfig.read_text())
    del content["clusters"][0]["cluster"]["certificate-authority"]
    (tmp_path / "config").write_text(yaml.safe_dump(content))
    with pytest.raises(Unavailable, match="not trusted"):
        Api.connect(tmp_path / "config").list(PODS)


def with_token(kubeconfig: Path, path: Path, token: str) -> Path:
    content = yaml.safe_load(kubeconfig.read_text())
    content["users"][0]["user"] = {"token": token}
    path.write_text(yaml.safe_dump(content))
    return path
