"""Why a task ended, or can't go on, as its Job and its pod tell it: rules in the order in which they are believed.

Only what the platform and our own containers say counts. The agent's container has a termination message too, but the
agent can write it, so nobody reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.views import NOTHING, JobView, PodView, parse_time
from orchestrator.core.failures import Reason
from orchestrator.core.model import Ending, Note, Role

STUCK_AFTER = timedelta(minutes=10)
"""How long a container that can't be started is waited for: the kubelet tries again all the time, the longest wait
between two pulls being five minutes, and somebody may put right what is wrong."""

NO_SANDBOX_AFTER = timedelta(minutes=15)
"""How long a pod may have a node and nothing on it, not even a sandbox: its volumes and its network are made first."""

PULLING = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "ErrImageNeverPull",
        "ImageInspectError",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    }
)
STUCK = {
    **dict.fromkeys(PULLING, Ending.IMAGE_PULL),
    "CreateContainerConfigError": Ending.NOT_CONFIGURED,
    "CreateContainerError": Ending.STAGING,
}
"""Reasons for which a container waits that do not go away by themselves."""

SAID = {
    Reason.NETWORK_NOT_ISOLATED: Ending.NOT_ISOLATED,
    Reason.STORE_UNAVAILABLE: Ending.STORE_UNAVAILABLE,
    Reason.DISRUPTED: Ending.DISRUPTED,
    Reason.SUSPENDED: Ending.STOPPED,
}
"""Reasons in a worker's last words that are endings of their own; any other of an agent's stage is Ending.STAGING."""

OVER_ITS_DISK = (
    "Pod ephemeral local storage usage exceeds",
    "Container agent exceeded its local ephemeral storage limit",
    "Usage of EmptyDir volume",
)
"""What the kubelet says of a pod that is over its own limits. It has no reason of its own for that: a pod that goes
because its node is short of disk is Evicted too, with the condition DisruptionTarget and in other words."""


@dataclass(frozen=True)
class Why:
    """How the platform saw a task end."""

    ending: Ending | None = None
    message: str = ""
    try_again: bool = True


NOTED = TypeAdapter(Why)


@dataclass(frozen=True)
class Ended:
    """A task of which nothing runs any more."""

    job: JobView
    pod: PodView | None
    """None: it is gone, or there never was one."""
    role: Role


Rule = Callable[[Ended], Why | None]


def why_ended(job: JobView, pod: PodView | None, role: Role) -> Why:
    """The first rule that explains it; nothing if it just ran and ended."""
    ended = Ended(job, pod, role)
    return next((why for rule in RULES if (why := rule(ended))), Why())


def why_stuck(pod: PodView, role: Role, now: datetime) -> Why | None:
    """Why the pod of an agent can't go on although nothing of it has failed: it would hold its node for ever.

    The pods of other tasks wait: what they lack is the operator's to bring, and then they go on.
    """
    if role is not Role.AGENT:
        return None
    has_waited = has_waited_at(pod) <= now
    for name, container in pod.containers.items():
        reason, said = container.waiting.get("reason", ""), container.waiting.get("message", "")
        if reason == "InvalidImageName" or (reason in STUCK and has_waited):
            return Why(STUCK.get(reason, Ending.IMAGE_PULL), f"{name}: {reason}. {said}".strip())
    courier = pod.container("courier")
    if has_waited and not pod.condition("Initialized") and (courier.failed or courier.ended_before):
        return _last_words("courier", courier.ended or courier.ended_before, role)  # it fails before it can listen
    no_sandbox = no_sandbox_at(pod)
    if no_sandbox is not None and no_sandbox <= now:
        look = f"`kubectl describe pod {pod.raw['metadata']['name']} --namespace {pod.raw['metadata']['namespace']}`"
        return Why(Ending.STAGING, f"Node {pod.node} has made no sandbox for the pod; {look} says why.")
    return None


def no_sandbox_at(pod: PodView) -> datetime | None:
    """When a pod has waited for its sandbox for long enough; None: it has one, or no node yet.

    The kubelet says that there is none, or it has not said a word.
    """
    if pod.node is None or any(one.is_running or one.ended or one.ended_before for one in pod.containers.values()):
        return None
    if pod.containers and not pod.lacks("PodReadyToStartContainers"):
        return None
    scheduled = pod.condition("PodScheduled")
    since = scheduled.since if scheduled else None
    return (since or datetime.fromisoformat(pod.created_at)) + NO_SANDBOX_AFTER


def has_waited_at(pod: PodView) -> datetime:
    """When the container that comes next has been waited for long enough, since it could have started: the kubelet
    keeps no time of its own."""
    since = [pod.condition(kind) for kind in ("Initialized", "PodScheduled")]
    known = [condition.since for condition in since if condition and condition.since]
    return max(known, default=datetime.fromisoformat(pod.created_at)) + STUCK_AFTER


def noted(ended: Ended) -> Why | None:
    """What was written down when it had just ended: the pod may be gone since."""
    written = ended.job.annotations.get(labels.ENDED)
    return NOTED.validate_json(written) if written is not None else None


def write_note(note: Note) -> str:
    """What `noted` reads."""
    return NOTED.dump_json(Why(note.ending, note.message, note.try_again)).decode()


def stopped(ended: Ended) -> Why | None:
    why = ended.job.annotations.get(labels.STOP)
    return Why(Ending.STOPPED, f"Stopped: {why}.") if why is not None else None


def past_deadline(ended: Ended) -> Why | None:
    failed = ended.job.condition("Failed")
    if failed and failed.reason == "DeadlineExceeded":
        return Why(Ending.DEADLINE, failed.message)
    if ended.pod and ended.pod.status.get("reason") == "DeadlineExceeded":
        return Why(Ending.DEADLINE, ended.pod.status.get("message") or "")
    return None


def out_of_memory(ended: Ended) -> Why | None:
    """Also with exit code 0: a child was killed and its shell carried on. What came later does not matter."""
    if ended.pod is None:
        return None
    end = ended.pod.main(ended.role).ended
    if end.get("reason") != "OOMKilled" or _was_told_to_go(ended.pod, end):
        return None
    return Why(Ending.OOM_KILLED, f"Exit code {end.get('exitCode')}.")


def disrupted(ended: Ended) -> Why | None:
    target = ended.pod.condition("DisruptionTarget") if ended.pod else None
    if target is not None:
        ending = Ending.NODE_LOST if target.reason == "DeletionByPodGC" else Ending.DISRUPTED
        return Why(ending, f"{target.reason}: {target.message}")
    failed = ended.job.condition("Failed")
    if failed and failed.reason == "PodFailurePolicy":
        return Why(Ending.DISRUPTED, failed.message)
    return None


def over_its_disk(ended: Ended) -> Why | None:
    """The agent ran and its pod was over a limit of its own. Before it ran, the dataset was what is too large.

    Of a container that it has lost sight of the kubelet says no more than that, and before that, that it used to run.
    """
    pod = ended.pod
    if pod is None or ended.role is not Role.AGENT or pod.status.get("reason") != "Evicted":
        return None
    said, agent = pod.status.get("message") or "", pod.main(ended.role)
    has_run = agent.ended.get("startedAt") or agent.ended_before
    return Why(Ending.DISK_FULL, said.strip()) if has_run and said.startswith(OVER_ITS_DISK) else None


def refused_by_node(ended: Ended) -> Why | None:
    """The node would not take the pod (OutOfcpu, UnexpectedAdmissionError and the like), so nothing of it ran."""
    pod = ended.pod
    if pod is None or pod.phase != "Failed" or not pod.status.get("reason"):
        return None
    if any(container.ended or container.is_running for container in pod.containers.values()):
        return None
    return Why(Ending.DISRUPTED, f"{pod.status['reason']}: {pod.status.get('message', '')}")


def deleted(ended: Ended) -> Why | None:
    """Somebody deleted the pod, which leaves no reason behind, or it was gone before anybody looked."""
    if ended.pod is None:
        message = "The pod is gone, and nobody said why."
        return Why(Ending.DELETED, message) if ended.job.has_failed else None
    ends = [container.ended for container in ended.pod.containers.values() if container.ended]
    if any(_was_told_to_go(ended.pod, end) for end in ends or [NOTHING]):  # with no end, nothing of it has begun
        return Why(Ending.DELETED, "Somebody deleted the pod.")
    return None


def worker_failed(ended: Ended) -> Why | None:
    """What the first of our containers that failed said."""
    if ended.pod is None:
        return None
    for name, container in ended.pod.containers.items():
        if name != Role.AGENT and name != "courier" and container.failed:
            return _last_words(name, container.ended, ended.role)
    return None


def not_collected(ended: Ended) -> Why | None:
    """The courier outlives the agent, so its failure shows nowhere but in its own last words."""
    if ended.pod is None:
        return None
    courier = ended.pod.container("courier")
    for end in (courier.ended, courier.ended_before):
        said = _failure(end)
        if end.get("exitCode") and said.get("reason") == Reason.STORE_UNAVAILABLE:
            return Why(Ending.STORE_UNAVAILABLE, said["message"])
    return None


def not_run(ended: Ended) -> Why | None:
    """The pod failed and says why, or its main container could not be started at all."""
    if ended.pod is None:
        return None
    if ended.pod.status.get("reason"):
        return Why(None, f"{ended.pod.status['reason']}: {ended.pod.status.get('message', '')}")
    end = ended.pod.main(ended.role).ended
    if end.get("reason") in ("StartError", "ContainerCannotRun"):
        return Why(None, f"{end['reason']}: {end.get('message', '')}")
    return None


RULES: tuple[Rule, ...] = (
    noted,
    stopped,
    past_deadline,
    out_of_memory,
    disrupted,
    over_its_disk,
    refused_by_node,
    deleted,
    worker_failed,
    not_collected,
    not_run,
)


def _was_told_to_go(pod: PodView, end: Any) -> bool:
    """Whether the container ended after its pod was told to go. What is deleted after its end had ended by itself."""
    target = pod.condition("DisruptionTarget")
    told_at = [moment for moment in (pod.told_to_go_at, target.since if target else None) if moment]
    if not told_at:
        return False
    ended_at = parse_time(end.get("finishedAt"))
    return ended_at is None or min(told_at) <= ended_at


def _last_words(name: str, end: Any, role: Role) -> Why:
    """From a worker's failure.json, which is its termination message; without one from how it ended."""
    said = _failure(end)
    ending = SAID.get(said.get("reason", "")) or (Ending.STAGING if role is Role.AGENT else None)
    if said:
        return Why(ending, said["message"], bool(said.get("try_again", True)))
    how = "was killed because it used more memory than it has" if end.get("reason") == "OOMKilled" else "ended"
    message = f"{name} {how} (exit code {end.get('exitCode')}). {end.get('message', '')}"
    return Why(ending, message.strip())


def _failure(end: Any) -> dict[str, Any]:
    """failure.json, or nothing if the message is something else."""
    message = end.get("message") or ""
    if not message.startswith("{"):
        return {}
    try:
        said = json.loads(message)
    except ValueError:
        return {}
    return said if isinstance(said.get("message"), str) else {}
