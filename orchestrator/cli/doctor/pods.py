"""Pods that look around for the doctor: started together, waited for, and removed whatever happens.

Each is a Job of one pod, under the Pod Security profile `restricted`. A Job and what belongs to it (its policy is owned
by it) is deleted at the end, also after Ctrl-C; should even that not happen, the cluster removes it ten minutes after
its end.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from orchestrator.cli.output import tell
from orchestrator.cluster.kubernetes.amounts import Share
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.containers import authorities, container_security, mount, pod_basics, worker
from orchestrator.cluster.kubernetes.errors import ApiError
from orchestrator.cluster.kubernetes.kinds import EVENTS, JOBS, NETWORK_POLICIES, PODS, Object
from orchestrator.cluster.kubernetes.labels import GROUP, ROLE
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.worker.orders import DoctorOrder

LABEL = f"{GROUP}/doctor"
"""On the Jobs and pods: which look they belong to."""
LOOK_SECONDS = 0.5
KEPT_SECONDS = 600
ENDS = {"activeDeadlineSeconds": 900, "terminationGracePeriodSeconds": 30}
REMOVAL_SECONDS = 45.0
SCRATCH = "/scratch"
SHARE = Share(100, 512 << 20, 512 << 20)
HOPELESS = {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError"}
"""Why a container waits, where waiting longer is of no use to somebody who looks."""


@dataclass(frozen=True)
class Eye:
    """A pod to be."""

    name: str
    namespace: str
    role: str
    """Policies know the pods of mlectl by their role: it is taken for one of these."""
    pod: Object
    policy: Object | None = None
    """The spec of a NetworkPolicy for it, without the selector."""


@dataclass(frozen=True)
class Saw:
    """What became of a pod."""

    told: Mapping[str, Any] = field(default_factory=dict)
    """Its last words; empty if it has none."""
    trouble: str = ""
    """Why it told nothing."""
    node: str = ""


def worker_pod(settings: Settings, order: DoctorOrder, secrets_named: Sequence[str] = (), **more: Any) -> Object:
    """A pod of our image that carries out a doctor's order, with these Secrets as its environment."""
    container = worker("doctor", order, [mount("scratch", SCRATCH)], SHARE, settings, SCRATCH)
    if secrets_named:
        container["envFrom"] = [{"secretRef": {"name": name}} for name in secrets_named]
    chosen = {name: value for name, value in more.items() if value}
    volumes = [{"name": "scratch", "emptyDir": {}}, *authorities(settings)]
    return {**pod_basics(settings), **chosen, "containers": [container], "volumes": volumes}


def image_pod(settings: Settings, image: str, **more: Any) -> Object:
    """A pod of an agent's image that does nothing: it shows that the image can be pulled and has a shell."""
    container = {
        "name": "doctor",
        "image": image,
        "command": ["/bin/sh", "-c", "exit 0"],
        "resources": SHARE.written(),
        "securityContext": container_security(read_only=False),
    }
    return {**pod_basics(settings), **{name: value for name, value in more.items() if value}, "containers": [container]}


def look_through(api: Api, eyes: Sequence[Eye], patience_seconds: float) -> dict[str, Saw]:
    """What each pod saw, by its name."""
    with opened(api, eyes) as jobs:
        saw: dict[str, Saw] = {}
        give_up = time.monotonic() + patience_seconds
        while len(saw) < len(eyes):
            for eye in eyes:
                if eye.name not in saw and (seen := _seen(api, eye, jobs[eye.name], time.monotonic() > give_up)):
                    saw[eye.name] = seen
            if len(saw) < len(eyes):
                time.sleep(LOOK_SECONDS)
        return saw


@contextmanager
def opened(api: Api, eyes: Sequence[Eye]) -> Iterator[dict[str, str]]:
    """The Jobs' names by the eyes'; gone afterwards, with their pods and policies."""
    nonce = secrets.token_hex(4)
    jobs = {eye.name: f"mlectl-doctor-{nonce}-{eye.name}" for eye in eyes}
    try:
        for eye in eyes:
            _open(api, eye, jobs[eye.name])
        yield jobs
    finally:
        _close(api, eyes, jobs)


def _open(api: Api, eye: Eye, name: str) -> None:
    """Suspended at first, so that what holds a pod is there before the pod."""
    labels = {LABEL: name, ROLE: eye.role}  # without the label by which a controller knows its own
    template = {"metadata": {"labels": labels}, "spec": {**eye.pod, **ENDS}}
    spec = {"suspend": True, "backoffLimit": 0, "ttlSecondsAfterFinished": KEPT_SECONDS, "template": template}
    metadata = {"name": name, "namespace": eye.namespace, "labels": labels}
    job = api.create(JOBS, eye.namespace, {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec})
    if eye.policy is not None:
        owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": job["metadata"]["uid"]}
        policy = {
            "apiVersion": NETWORK_POLICIES.api_version,
            "kind": NETWORK_POLICIES.name,
            "metadata": {**metadata, "ownerReferences": [owner]},
            "spec": {**eye.policy, "podSelector": {"matchLabels": labels}},
        }
        api.create(NETWORK_POLICIES, eye.namespace, policy)
    api.patch(JOBS, eye.namespace, name, {"spec": {"suspend": False}})


def _close(api: Api, eyes: Sequence[Eye], jobs: Mapping[str, str]) -> None:
    """Delete all, and wait until the pods are gone: a store's objects go with them."""
    for eye in eyes:
        try:
            api.delete(JOBS, eye.namespace, jobs[eye.name])
        except ApiError as error:
            where = f"-n {eye.namespace} job/{jobs[eye.name]}"
            tell(f"mlectl: {error.message}; remove it yourself: kubectl delete {where}")
    give_up = time.monotonic() + REMOVAL_SECONDS
    try:
        while any(_pods(api, eye, jobs[eye.name]) for eye in eyes) and time.monotonic() < give_up:
            time.sleep(LOOK_SECONDS)
    except ApiError:
        return  # it was told above, or the cluster is gone


def _pods(api: Api, eye: Eye, job: str) -> list[Object]:
    return api.list(PODS, eye.namespace, f"{LABEL}={job}").items


def _seen(api: Api, eye: Eye, job: str, is_late: bool) -> Saw | None:
    """What there is to say of a pod; None while it should be waited for."""
    pods = _pods(api, eye, job)
    if not pods:
        return (
            Saw(trouble=_why_no_pod(api, eye, job) or "no pod was made for it") if is_late else _refused(api, eye, job)
        )
    return read_pod(pods[0], is_late)


def read_pod(pod: Object, is_late: bool) -> Saw | None:
    """What a pod tells by its status; None while it should be waited for."""
    node, status = str(pod["spec"].get("nodeName", "")), pod.get("status", {})
    state: Object = next((one["state"] for one in status.get("containerStatuses", ())), {})
    if ended := state.get("terminated"):
        return _last_words(ended, node)
    waits = state.get("waiting", {})
    if waits.get("reason") in HOPELESS:
        return Saw(trouble=f"{waits['reason']}: {waits.get('message', '')}".rstrip(": "), node=node)
    if status.get("phase") == "Failed":
        return Saw(trouble=str(status.get("message") or status.get("reason") or "its pod failed"), node=node)
    if not is_late:
        return None
    unscheduled = (one for one in status.get("conditions", ()) if one["type"] == "PodScheduled" and not node)
    message = next((str(one.get("message", "")) for one in unscheduled), "")
    return Saw(trouble=message or f"its pod is still {status.get('phase', 'not there')}", node=node)


def _last_words(ended: Object, node: str) -> Saw:
    try:
        told = json.loads(ended.get("message") or "{}")
    except ValueError:
        told = {}
    if ended["exitCode"] == 0 and isinstance(told, dict):
        return Saw(told, node=node)
    words = told.get("message") if isinstance(told, dict) else ""
    lines = str(words or ended.get("message") or ended.get("reason") or "").strip().splitlines() or [""]
    return Saw(trouble=f"exit code {ended['exitCode']}: {lines[-1]}".rstrip(": "), node=node)


def _refused(api: Api, eye: Eye, job: str) -> Saw | None:
    """A Job whose pods are refused (by Pod Security, by a quota) tells so in an event."""
    why = _why_no_pod(api, eye, job)
    return Saw(trouble=why) if why else None


def _why_no_pod(api: Api, eye: Eye, job: str) -> str:
    try:
        events = api.list(EVENTS, eye.namespace).items
    except ApiError:
        return ""
    about = (one for one in events if one["involvedObject"].get("name") == job and one.get("reason") == "FailedCreate")
    return next((str(one.get("message", "")) for one in about), "")
