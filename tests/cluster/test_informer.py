"""The informer on a real API server, over a road that is cut and blocked."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.informer import Informer
from orchestrator.cluster.kubernetes.kinds import LEASES, Kind, Object
from tests.cluster import crd
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.road import Road

LABEL = "of"


def labelled(item):
    return item["metadata"]["labels"][LABEL]


class Listener:
    """What was told, and a way to wait for it."""

    def __init__(self, informer: Informer) -> None:
        self.told: list[tuple[str | None, str | None]] = []
        self._news = threading.Condition()
        informer.on_change(self.listen)

    def listen(self, old: Object | None, new: Object | None) -> None:
        with self._news:
            self.told.append((shown(old), shown(new)))
            self._news.notify_all()

    def heard(self, *want: tuple[str | None, str | None], seconds: float = 10) -> bool:
        with self._news:
            return self._news.wait_for(lambda: all(one in self.told for one in want), seconds)


def shown(item: Object | None) -> str | None:
    return None if item is None else f"{item['metadata']['name']}={item['spec'].get('holderIdentity')}"


def lease(name: str, holder: str = "1", of: str = "x") -> Object:
    return {"metadata": {"name": name, "labels": {LABEL: of}}, "spec": {"holderIdentity": holder}}


def held_by(holder: str) -> Object:
    return {"spec": {"holderIdentity": holder}}


@pytest.fixture
def api(control_plane: ControlPlane) -> Iterator[Api]:
    """Another client, that has a road of its own."""
    api = Api.connect(control_plane.kubeconfig)
    yield api
    api.close()


@pytest.fixture
def road(control_plane: ControlPlane, tmp_path: Path) -> Iterator[Road]:
    road = Road(control_plane.kubeconfig, tmp_path)
    yield road
    road.close()


Followed = tuple[Informer, Listener, list[str]]


@contextmanager
def following(kind: Kind, road: Road, namespace: str) -> Iterator[Followed]:
    """An informer on that kind in the namespace, in step; what it tells, and its requests."""
    api = Api.connect(road.kubeconfig)
    requests: list[str] = []
    api.on_request = lambda verb, kind, status, seconds: requests.append(verb)
    informer = Informer(api, kind, [namespace], index=labelled)
    listener = Listener(informer)
    informer.start()
    try:
        assert informer.wait_synced(10)
        yield informer, listener, requests
    finally:
        informer.stop()


@pytest.fixture
def followed(road: Road, namespace: str) -> Iterator[Followed]:
    with following(LEASES, road, namespace) as found:
        yield found


@pytest.fixture
def notes(control_plane: ControlPlane) -> Kind:
    """A kind that came after the API server began: of what was before that, it remembers nothing."""
    kind = Kind("rig.test", "v1", "notes", "Note")
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": kind.version, "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}
    names = {"plural": kind.plural, "singular": "note", "kind": kind.name}
    control_plane.apply(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": str(kind)},
            "spec": {"group": kind.group, "scope": "Namespaced", "names": names, "versions": [version]},
        }
    )
    crd.wait_until_established(control_plane, str(kind))
    return kind


def test_what_happens_is_seen_and_told(followed: Followed, api: Api, namespace: str) -> None:
    informer, listener, _ = followed
    api.create(LEASES, namespace, lease("a"))
    api.create(LEASES, namespace, lease("b", of="y"))
    api.patch(LEASES, namespace, "a", held_by("2"))
    api.delete(LEASES, namespace, "b")
    assert listener.heard(("b=1", None))
    assert listener.told == [(None, "a=1"), (None, "b=1"), ("a=1", "a=2"), ("b=1", None)]
    found = informer.get(namespace, "a")
    assert shown(found) == "a=2"
    assert informer.list() == informer.list(namespace) == informer.indexed("x") == [found]
    assert informer.indexed("y") == []
    assert found is not None
    assert "managedFields" not in found["metadata"]


def test_only_the_namespaces_and_labels_asked_for_are_seen(api: Api, namespaces: Callable[..., str]) -> None:
    first, second, other = (namespaces() for _ in range(3))
    for namespace in (first, second, other):
        api.create(LEASES, namespace, lease("a"))
        api.create(LEASES, namespace, lease("b", of="y"))
    some = Informer(api, LEASES, [first, second], f"{LABEL}=x")
    everywhere = Informer(api, LEASES, selector=f"{LABEL}=x")
    for informer in (some, everywhere):
        assert not informer.has_synced
        assert informer.is_stale()
        informer.start()
        assert informer.wait_synced(10)
        assert not informer.is_stale()
        informer.stop()
    assert sorted(item["metadata"]["namespace"] for item in some.list()) == sorted([first, second])
    assert shown(everywhere.get(other, "a")) == "a=1"
    assert everywhere.get(other, "b") is None


def test_after_an_outage_the_watch_goes_on_where_it_was(
    followed: Followed, road: Road, api: Api, namespace: str
) -> None:
    informer, listener, requests = followed
    for name in "ab":
        api.create(LEASES, namespace, lease(name))
    assert listener.heard((None, "b=1"))
    road.cut()
    api.delete(LEASES, namespace, "a")
    api.patch(LEASES, namespace, "b", held_by("2"))
    eventually(lambda: informer.problem is not None)
    assert shown(informer.get(namespace, "a")) == "a=1", "what was known stays readable"
    road.mend()
    assert listener.heard(("a=1", None), ("b=1", "b=2"))
    assert informer.problem is None
    assert requests.count("list") == 1


def test_what_the_server_no_longer_remembers_is_found_by_a_new_list(
    notes: Kind, road: Road, api: Api, namespace: str
) -> None:
    def note(name: str) -> Object:
        return {"apiVersion": notes.api_version, "kind": notes.name, **lease(name)}

    with following(notes, road, namespace) as (informer, listener, requests):
        for name in "abc":
            api.create(notes, namespace, note(name))
        assert listener.heard((None, "c=1"))
        road.cut()
        eventually(lambda: informer.problem is not None)
        api.delete(notes, namespace, "a")
        api.patch(notes, namespace, "b", held_by("2"))
        api.create(notes, namespace, note("d"))
        informer._cache._seen[namespace] = "1"
        listener.told.clear()
        road.mend()
        assert listener.heard(("a=1", None), ("b=1", "b=2"), (None, "d=1"))
        assert len(listener.told) == 3, "what did not change is not told"
        assert requests.count("list") == 2


def test_a_server_that_is_away_is_asked_less_and_less(followed: Followed, road: Road) -> None:
    informer, _, requests = followed
    eventually(lambda: "watch" in requests)
    requests.clear()
    road.cut()
    time.sleep(4)  # the time itself is what is measured
    assert 2 <= len(requests) <= 8
    assert informer.problem is not None
    assert "refused" in informer.problem


def test_silence_is_noticed(followed: Followed, road: Road, api: Api, namespace: str) -> None:
    informer, listener, _ = followed
    road.block()
    eventually(lambda: informer.is_stale(0.5))
    assert informer.seconds_since_contact > 0.5
    road.unblock()
    api.create(LEASES, namespace, lease("a"))
    assert listener.heard((None, "a=1"))
    assert not informer.is_stale(0.5)


@pytest.mark.parametrize("trouble", ["none", "cut", "blocked", "blocked before it began"])
def test_it_stops_within_a_second(control_plane: ControlPlane, road: Road, namespace: str, trouble: str) -> None:
    informer = Informer(Api.connect(road.kubeconfig), LEASES, [namespace])
    if trouble == "blocked before it began":
        road.block()
    informer.start()
    if trouble != "blocked before it began":
        eventually(lambda: informer._followers[0]._watch is not None)
    if trouble == "cut":
        road.cut()
        eventually(lambda: informer.problem is not None)
    if trouble == "blocked":
        road.block()
    started = time.monotonic()
    informer.stop()
    assert time.monotonic() - started < 1.5
    alive = [follower for follower in informer._followers if follower.is_alive()]
    assert not alive or trouble == "blocked before it began"


def test_our_own_writes_are_seen_at_once_and_not_told(followed: Followed, road: Road, api: Api, namespace: str) -> None:
    informer, listener, _ = followed
    road.block()  # no news comes
    made = api.create(LEASES, namespace, lease("a"))
    informer.observe(made)
    assert shown(informer.get(namespace, "a")) == "a=1"
    assert [shown(item) for item in informer.indexed("x")] == ["a=1"]
    informer.observe(api.patch(LEASES, namespace, "a", held_by("2")))
    informer.observe(made)
    assert shown(informer.get(namespace, "a")) == "a=2", "an older answer does not replace a newer one"
    api.create(LEASES, namespace, lease("b"))
    road.unblock()
    assert listener.heard((None, "b=1"))
    assert ("a=2", "a=2") not in listener.told
    assert [told for told in listener.told if told[1] == "a=2" and told[0] == "a=1"] == []


def test_what_another_did_before_our_own_write_is_told(
    followed: Followed, road: Road, api: Api, namespace: str
) -> None:
    """A user suspends an experiment while we write its status: the answer to our write has both, and is silent."""
    informer, listener, _ = followed
    api.create(LEASES, namespace, lease("a"))
    assert listener.heard((None, "a=1"))
    road.block()
    api.patch(LEASES, namespace, "a", held_by("user"))
    informer.observe(api.patch(LEASES, namespace, "a", {"metadata": {"labels": {"status": "ours"}}}))
    assert shown(informer.get(namespace, "a")) == "a=user"
    assert len(listener.told) == 1
    road.unblock()
    assert listener.heard(("a=1", "a=user"))


def test_what_we_deleted_is_hidden_at_once(followed: Followed, road: Road, api: Api, namespace: str) -> None:
    informer, listener, _ = followed
    made = api.create(LEASES, namespace, lease("a"))
    assert listener.heard((None, "a=1"))
    road.block()
    api.patch(LEASES, namespace, "a", held_by("2"))
    assert api.delete(LEASES, namespace, "a")
    informer.forget(made)
    assert informer.get(namespace, "a") is None
    seen: list[Any] = []
    informer.on_change(lambda old, new: seen.append(informer.get(namespace, "a")))
    road.unblock()
    assert listener.heard(("a=2", None))
    assert seen == [None], "the news from before its end does not bring it back"
    assert informer.indexed("x") == []


def test_a_callback_that_fails_does_not_stop_the_news(
    followed: Followed, api: Api, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    informer, listener, _ = followed

    def fail(old: Object | None, new: Object | None) -> None:
        raise ZeroDivisionError

    informer._callbacks.insert(0, fail)
    api.create(LEASES, namespace, lease("a"))
    api.create(LEASES, namespace, lease("b"))
    assert listener.heard((None, "a=1"), (None, "b=1"))
    assert "A callback failed on a change of leases" in caplog.text


def eventually(check: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.01)
