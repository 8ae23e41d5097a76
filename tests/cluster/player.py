"""Plays the pods of experiments on `PlayedNodes`: the kubelet's part on the API server, the workers' part in the store.

    with Player(api, stores, [namespace, system], nodes) as player:
        player.script = lambda cast: Script(run_seconds=2.0) if cast.seed else Script()

Each pod has a thread that lives its life: it stages, runs, leaves what its workers leave (`leavings.py`, written before
the pod is reported as ended, as in a true pod) and ends. A pod that is deleted is told first, as by the preStop hook,
collects and goes. A pod on a silent node is heard of no more.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import ApiError, Conflict, NotFound
from orchestrator.cluster.kubernetes.informer import Informer
from orchestrator.cluster.kubernetes.kinds import PODS, Object
from orchestrator.controller.stores import OpenStores
from orchestrator.core.failures import Reason
from orchestrator.core.model import Role
from orchestrator.storage.store import StoreError
from orchestrator.worker.orders import CourierOrder, GradeOrder, Order, PrepareOrder
from tests.cluster.leavings import claim, leave_clock, leave_dataset, leave_everything, leave_report
from tests.cluster.played_nodes import PlayedNodes

T = TypeVar("T", bound=Order)
LEAVE_SECONDS = 10.0
"""How long a player waits for what it plays: a request that is cut off later would trouble whoever comes next."""


@dataclass(frozen=True)
class Cast:
    """Which pod it is."""

    role: Role
    competition: str
    seed: int | None
    attempt: int
    node: str
    name: str


@dataclass(frozen=True)
class Script:
    """How a pod's life goes, if nobody interferes."""

    stage_seconds: float = 0.0
    run_seconds: float = 0.1
    """None of it is agent time by itself; see `says_seconds`."""
    says_seconds: float | None = None
    """Agent time that the clock tells; None: what really passed."""
    exit_code: int = 0
    submission: bytes | None = b"id,y\n1,0\n"
    out_of_memory: bool = False
    collects: bool = True
    """False: the workers leave nothing, as if their machine had lost it."""
    collect_seconds: float = 0.0
    """How long the courier needs for that, with its clock in the store as a sign of life."""
    score: float | None = None
    """Of a grade pod; None: just enough for bronze."""
    forever: bool = False
    """Run until somebody ends it."""
    refusal: str = ""
    """A worker's last words, if it fails and says that trying again is no use."""


@dataclass
class Life:
    """One pod's."""

    pod: Object
    told_to_go: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def cast(self) -> Cast:
        marked = self.pod["metadata"]["labels"]
        seed = marked.get(labels.SEED)
        return Cast(
            Role(marked[labels.ROLE]),
            marked[labels.COMPETITION],
            None if seed is None else int(seed),
            int(marked[labels.ATTEMPT]),
            self.pod["spec"]["nodeName"],
            self.pod["metadata"]["name"],
        )

    def order(self, container: str, kind: type[T]) -> T:
        """The order of a worker, from its container's environment."""
        spec = self.pod["spec"]
        (found,) = (one for one in (*spec.get("initContainers", ()), *spec["containers"]) if one["name"] == container)
        (value,) = (one["value"] for one in found["env"] if one["name"] == "MLECTL_ORDER")
        return kind.model_validate_json(value.replace("$$", "$"))


class Gone(Exception):
    """The pod is no more, or its node is not heard of: its life ends without another word."""


class Player:
    """Plays every pod of experiments in some namespaces that comes to its nodes."""

    def __init__(self, api: Api, stores: OpenStores, namespaces: Sequence[str], nodes: PlayedNodes) -> None:
        self.api = api
        self.stores = stores
        self.nodes = nodes
        self.script: Callable[[Cast], Script] = lambda cast: Script()
        self.played: list[Cast] = []
        """Every pod that began to run, in that order."""
        self.reports: list[Cast] = []
        """Every grade pod that wrote a report that was not there."""
        self.lives: dict[str, Life] = {}
        self.over: set[str] = set()
        """Pods whose end was shown, by uid: news that is older than that may still come."""
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        selector = f"{labels.MANAGED_BY}={labels.MLECTL}"
        self.pods = Informer(api, PODS, namespaces, selector, trim=lambda pod: pod)
        self.pods.on_change(self._changed)

    def __enter__(self) -> Player:
        self.pods.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for life in list(self.lives.values()):
            life.told_to_go.set()
            life.gone.set()
        self.pods.stop()
        deadline = time.monotonic() + LEAVE_SECONDS
        while self.lives and time.monotonic() < deadline:
            time.sleep(0.05)

    def lose(self, node: str) -> None:
        """The machine dies: what ran there leaves nothing more, and nobody hears of it."""
        self.nodes.lose(node)
        for life in list(self.lives.values()):
            if life.pod["spec"]["nodeName"] == node:
                life.gone.set()
                life.told_to_go.set()

    def bring_back(self, node: str) -> None:
        """It was started again: its kubelet finds that nothing of what it should run is there."""
        self.nodes.find(node)
        for pod in self.pods.list():
            if pod["spec"].get("nodeName") == node and not _has_ended(pod):
                life = Life(pod)
                if "deletionTimestamp" in pod["metadata"]:
                    life.told_to_go.set()
                with suppress(Gone):
                    self._end(life, Script(), 137)

    def _changed(self, old: Object | None, new: Object | None) -> None:
        item = new or old
        if item is None or item["spec"].get("nodeName") not in self.nodes.names:
            return
        uid = item["metadata"]["uid"]
        with self._lock:
            life = self.lives.get(uid)
            if life is None and new is not None and not _has_ended(new) and uid not in self.over:
                life = self.lives[uid] = Life(new)
                threading.Thread(target=self._live, args=(life,), name=f"pod-{uid}", daemon=True).start()
        if life is None:
            return
        if new is None:
            life.gone.set()
        if new is None or "deletionTimestamp" in new["metadata"]:
            life.told_to_go.set()

    def _live(self, life: Life) -> None:
        try:
            match life.cast.role:
                case Role.AGENT:
                    self._agent(life, self.script(life.cast))
                case Role.GRADE | Role.PREPARE:
                    self._worker(life, self.script(life.cast))
        except Gone:
            pass
        finally:
            self.lives.pop(life.pod["metadata"]["uid"], None)

    def _agent(self, life: Life, script: Script) -> None:
        order = life.order("courier", CourierOrder)
        self._show(life, staging())
        if not self._goes_on_for(life, script.stage_seconds):
            self._end(life, script, 143)
            return
        if not self._store(life, lambda: claim(self.stores, order, life.pod["metadata"]["uid"])):
            self._end(life, script, 1)
            return
        self._store(life, lambda: leave_clock(self.stores, order, script.says_seconds or 0.0))
        self.played.append(life.cast)
        began = time.monotonic()
        self._show(life, running(life.pod))
        is_done = self._goes_on_for(life, float("inf") if script.forever else script.run_seconds)
        if script.collects:
            passed = time.monotonic() - began if script.says_seconds is None else script.says_seconds
            until = time.monotonic() + script.collect_seconds
            while time.monotonic() < until:
                self._store(life, lambda: leave_clock(self.stores, order, passed, stopped=True))
                life.gone.wait(1.0)
            self._store(
                life,
                lambda: leave_everything(
                    self.stores,
                    order,
                    passed,
                    submission=script.submission,
                    interrupted=not is_done,
                    exit_code=script.exit_code,
                    out_of_memory=script.out_of_memory,
                ),
            )
        self._end(life, script, script.exit_code if is_done else 143)

    def _worker(self, life: Life, script: Script) -> None:
        self.played.append(life.cast)
        self._show(life, running(life.pod))
        is_done = self._goes_on_for(life, float("inf") if script.forever else script.run_seconds)
        if is_done and script.exit_code == 0 and script.collects:
            if life.cast.role is Role.PREPARE:
                self._store(life, lambda: leave_dataset(self.stores, life.order("prepare", PrepareOrder)))
            elif self._store(life, lambda: leave_report(self.stores, life.order("grade", GradeOrder), script.score)):
                self.reports.append(life.cast)
        self._end(life, script, script.exit_code if is_done else 143)

    def _goes_on_for(self, life: Life, seconds: float) -> bool:
        """Whether the pod was left alone for so long; Gone if nobody will hear of it."""
        life.told_to_go.wait(None if seconds == float("inf") else seconds)
        self._check(life)
        return not life.told_to_go.is_set()

    def _end(self, life: Life, script: Script, code: int) -> None:
        self._show(life, ended(life.pod, code, out_of_memory=script.out_of_memory, refusal=script.refusal))
        self.over.add(life.pod["metadata"]["uid"])
        if life.told_to_go.is_set():
            metadata = life.pod["metadata"]
            name, uid = metadata["name"], metadata["uid"]
            self._ask(life, lambda: self.api.delete(PODS, metadata["namespace"], name, uid, grace_seconds=0))

    def _show(self, life: Life, status: Object) -> None:
        metadata = life.pod["metadata"]
        namespace, name, uid = metadata["namespace"], metadata["name"], metadata["uid"]
        change = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "uid": uid}, "status": status}
        self._ask(life, lambda: self.api.patch(PODS, namespace, name, change, subresource="status", how="apply"))

    def _ask(self, life: Life, request: Callable[[], object]) -> None:
        """As a kubelet: until the API server has it."""
        while True:
            self._check(life)
            try:
                request()
            except NotFound as error:
                raise Gone from error
            except Conflict as error:
                if not self._is_there(life):
                    raise Gone from error
                life.gone.wait(0.2)
            except ApiError:
                life.gone.wait(0.2)
            else:
                return

    def _is_there(self, life: Life) -> bool:
        """Whether the pod, and not another one of its name, exists as far as can be known."""
        metadata = life.pod["metadata"]
        try:
            found = self.api.get(PODS, metadata["namespace"], metadata["name"])
        except ApiError:
            return True
        return found is not None and found["metadata"]["uid"] == metadata["uid"]

    def _store(self, life: Life, write: Callable[[], Any]) -> Any:
        """As a worker: until the store has it."""
        while True:
            self._check(life)
            try:
                return write()
            except StoreError:
                life.gone.wait(0.2)

    def _check(self, life: Life) -> None:
        if life.gone.is_set() or self._stopping.is_set() or life.pod["spec"]["nodeName"] in self.nodes.silent:
            raise Gone


def _has_ended(pod: Object) -> bool:
    return pod["status"].get("phase") in ("Succeeded", "Failed")


def staging() -> Object:
    return {
        "phase": "Pending",
        "conditions": _conditions("False"),
        "initContainerStatuses": [_status("stage", {"running": {"startedAt": _now()}})],
    }


def running(pod: Object) -> Object:
    now = _now()
    inits = [
        _status(one["name"], _running(now) if one.get("restartPolicy") == "Always" else _terminated(0, now))
        for one in pod["spec"].get("initContainers", ())
    ]
    return {
        "phase": "Running",
        "startTime": now,
        "conditions": _conditions("True"),
        "initContainerStatuses": inits,
        "containerStatuses": [_status(one["name"], _running(now)) for one in pod["spec"]["containers"]],
    }


def ended(pod: Object, code: int, *, out_of_memory: bool = False, refusal: str = "") -> Object:
    now = _now()
    last = _terminated(code, now, "OOMKilled" if out_of_memory else None)
    if refusal:
        words = {"reason": Reason.DATASET_UNAVAILABLE, "message": refusal, "try_again": False}
        last["terminated"]["message"] = json.dumps(words)
    return {
        "phase": "Failed" if code else "Succeeded",
        "conditions": _conditions("False"),
        "initContainerStatuses": [
            _status(one["name"], _terminated(0, now)) for one in pod["spec"].get("initContainers", ())
        ],
        "containerStatuses": [_status(one["name"], last) for one in pod["spec"]["containers"]],
    }


def _conditions(ready: str) -> list[Object]:
    """Those that a kubelet sets; the scheduler's and a disruption's stay as they are."""
    kinds = ("Initialized", "Ready", "ContainersReady")
    return [{"type": kind, "status": ready, "lastTransitionTime": _now()} for kind in kinds]


def _status(name: str, state: Object) -> Object:
    is_running = "running" in state
    return {
        "name": name,
        "image": "played:1",
        "imageID": f"docker.io/rig/played@sha256:{'0' * 64}",
        "ready": is_running,
        "started": is_running,
        "restartCount": 0,
        "state": state,
    }


def _running(now: str) -> Object:
    return {"running": {"startedAt": now}}


def _terminated(code: int, now: str, reason: str | None = None) -> Object:
    why = reason or ("Error" if code else "Completed")
    return {"terminated": {"exitCode": code, "reason": why, "startedAt": now, "finishedAt": now}}


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
