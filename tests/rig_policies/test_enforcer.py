"""What the enforcer makes of what it reads, and that it goes on whatever happens: rig/policy_enforcer.py."""

from ipaddress import IPv4Address
from typing import Any

import pytest

from tests.cluster.rig import policies
from tests.cluster.rig.policy_api import is_news
from tests.cluster.rig.policy_enforcer import is_off, named_ports, persist, world_of
from tests.cluster.rig.policy_sandboxes import Sandbox

Object = dict[str, Any]
SANDBOX = Sandbox("one", IPv4Address("10.244.0.2"), "veth1", "/netns/one")


def a_pod(uid: str = "one", **more: Any) -> Object:
    metadata = {"uid": uid, "name": uid, "namespace": "home", "labels": {"app": "web"}}
    return {"metadata": metadata, "spec": {"containers": []}, **more}


def a_namespace(name: str = "home", **metadata: Any) -> Object:
    return {"metadata": {"name": name, **metadata}}


def test_a_pod_is_where_its_sandbox_is_whatever_its_status_says() -> None:
    claiming = a_pod(status={"podIP": "10.244.0.99"})
    (pod,) = world_of([SANDBOX], [claiming], [a_namespace()], []).pods
    assert (str(pod.address), pod.interface, pod.labels) == ("10.244.0.2", "veth1", {"app": "web"})


@pytest.mark.parametrize(
    "sandboxes, pods, namespaces",
    [
        pytest.param([], [a_pod()], [a_namespace()], id="a pod without a sandbox"),
        pytest.param([SANDBOX], [], [a_namespace()], id="a sandbox whose pod the API did not tell of"),
        pytest.param([SANDBOX], [a_pod("two")], [a_namespace()], id="a sandbox of another pod of that name"),
        pytest.param([SANDBOX], [a_pod()], [a_namespace("away")], id="a pod whose namespace's labels are not known"),
    ],
)
def test_who_is_not_listed(sandboxes: list[Sandbox], pods: list[Object], namespaces: list[Object]) -> None:
    assert world_of(sandboxes, pods, namespaces, []).pods == []


def test_ports_have_the_names_that_lasting_containers_give() -> None:
    def container(name: str, **more: Any) -> Object:
        return {"ports": [{"name": name, "containerPort": 80}, {"containerPort": 81}], **more}

    spec = {
        "containers": [container("main"), {"ports": [{"name": "dns", "containerPort": 53, "protocol": "UDP"}]}, {}],
        "initContainers": [container("first"), container("sidecar", restartPolicy="Always")],
    }
    assert list(named_ports(spec)) == [("main", "tcp", 80), ("dns", "udp", 53), ("sidecar", "tcp", 80)]


def test_a_namespace_is_switched_off_by_its_annotation() -> None:
    assert is_off(a_namespace(annotations={policies.SWITCH: "off"}))
    assert not is_off(a_namespace(annotations={policies.SWITCH: "on"}))
    assert not is_off(a_namespace())


def test_only_what_may_matter_to_a_policy_is_news() -> None:
    known: dict[str, Object] = {}
    assert is_news({"type": "ADDED", "object": a_pod()}, known)
    assert not is_news({"type": "MODIFIED", "object": a_pod(status={"phase": "Running"})}, known)
    labelled = a_pod()
    labelled["metadata"]["labels"] = {"app": "db"}
    assert is_news({"type": "MODIFIED", "object": labelled}, known)
    changed = {**labelled, "spec": {"containers": [{}]}}
    assert is_news({"type": "MODIFIED", "object": changed}, known)
    assert is_news({"type": "DELETED", "object": changed}, known)
    assert is_news({"type": "ADDED", "object": changed}, known)


def test_nothing_ends_the_enforcer_and_pauses_grow_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(BaseException):
        """Ends the test."""

    pauses: list[float] = []
    failures = iter([KeyError("a bug"), *[ConnectionRefusedError()] * 6, None, OSError(), Enough()])

    def act() -> None:
        if failure := next(failures):
            raise failure

    monkeypatch.setattr("time.sleep", pauses.append)
    with pytest.raises(Enough):
        persist(act)
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.0, 3.0, 0.1]
