"""A Job and its pods, as the task that decisions are made on.

The Job and its pods are watched separately, so each may be seen before the other, and a pod may be gone already. A task
is final only when its Job is and no pod of it is seen alive, or when we stopped it and no pod is left. One that we stop
while it waits in a queue has an ending and is not final: until it is removed, its queue may let it go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from pydantic import TypeAdapter

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.endings import Why, has_waited_at, no_sandbox_at, why_ended, why_stuck
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.views import JobView, PodView
from orchestrator.core.model import Role, Start, Task, TaskPhase

START = TypeAdapter(Start)
NO_POD_AFTER = timedelta(minutes=2)
"""A Job gets its pod within seconds of being let go, unless something refuses it."""
NO_NODES, COUNT = re.compile(r"\d+/\d+ nodes are available: "), re.compile(r"^\d+ ")
SILENT_NODE = frozenset({"DeletionByTaintManager", "TerminationByKubelet"})
"""Reasons of a disruption after which a node may never be heard of again."""


def task_of(job: Object, pods: Sequence[Object], now: datetime) -> Task:
    """The task that a Job is. `pods` are those of this Job."""
    seen = JobView(job)
    start = start_of(job)
    pod = newest(PodView(one) for one in pods)
    phase = phase_of(seen, pod, start.role)
    if phase is TaskPhase.QUEUED and pod is not None and pod.has_ended:
        pod = None  # one of an earlier time, before its queue took the Job back
    main = pod.main(start.role) if pod else None
    if phase.is_final or (pod is None and seen.waits and labels.STOP in seen.annotations):
        why = why_ended(seen, pod, start.role)
    else:
        why = (why_stuck(pod, start.role, now) if pod else None) or Why(message=_waiting_for(seen, pod, now))
    return Task(
        name=start.name,
        role=start.role,
        competition=start.competition,
        seed=start.seed,
        attempt=start.attempt,
        phase=phase,
        created_at=seen.created_at,
        started_at=main.started_at if main else None,
        finished_at=_finished_at(seen) if phase.is_final else None,
        exit_code=main.exit_code if main else None,
        ending=why.ending,
        message=why.message,
        node=pod.node if pod else None,
        unreachable_since=None if phase.is_final or pod is None else _unreachable_since(pod, now),
        changes_at=None if phase.is_final else _changes_at(seen, pod, now),
        try_again=why.try_again,
        image_id=main.image_id if main else None,
        is_noted=labels.ENDED in seen.annotations,
        requeued=phase is TaskPhase.QUEUED and _was_taken_back(seen),
        asked_by=start.asked_by,
    )


def start_of(job: Object) -> Start:
    """What the Job was created for."""
    return START.validate_json(job["metadata"]["annotations"][labels.START])


def newest(pods: Iterable[PodView]) -> PodView | None:
    """The pod that counts: one that lives before one that has ended, the newest of them. More than one is rare: a queue
    that takes a Job back and lets it go again."""
    return max(pods, key=lambda pod: (not pod.has_ended, pod.created_at), default=None)


def phase_of(job: JobView, pod: PodView | None, role: Role) -> TaskPhase:
    if pod is not None and not pod.has_ended:
        return _phase_of_pod(pod, role)
    if job.condition("Complete"):
        return TaskPhase.SUCCEEDED
    if job.has_failed:
        return TaskPhase.FAILED
    if job.waits:
        is_over = labels.STOP in job.annotations and labels.QUEUE not in job.labels
        return TaskPhase.FAILED if is_over else TaskPhase.QUEUED
    return TaskPhase.QUEUED if pod is None else TaskPhase.COLLECTING


def _phase_of_pod(pod: PodView, role: Role) -> TaskPhase:
    """Of a pod that lives, as far as the API server knows."""
    if pod.node is None:
        return TaskPhase.QUEUED
    main = pod.main(role)
    if main.ended or (pod.must_be_gone_at and main.is_running):
        return TaskPhase.COLLECTING
    return TaskPhase.RUNNING if main.is_running else TaskPhase.STAGING


def _was_taken_back(job: JobView) -> bool:
    """Whether a suspended Job had been let go once, and it was not us who suspended it. Its generation counts the
    changes of its spec: made suspended (1), let go (2), suspended again (3). An old view of a Job that was just let go
    can't be mistaken for it."""
    if not job.is_suspended or labels.STOP in job.annotations:
        return False
    made_suspended = labels.QUEUE in job.labels
    return int(job.metadata.get("generation") or 0) >= (3 if made_suspended else 2)


def _waiting_for(job: JobView, pod: PodView | None, now: datetime) -> str:
    """Why there is no pod, the scheduler's message about one that no node takes, or what a container waits for."""
    if pod is None:
        if job.is_suspended or job.pods_left or _no_pod_at(job) > now:
            return ""
        name, namespace = job.metadata["name"], job.metadata["namespace"]
        return f"Its Job has no pod; `kubectl describe job {name} --namespace {namespace}` says why."
    if pod.node is None:
        unscheduled = pod.lacks("PodScheduled")
        return _without_counts(unscheduled.message) if unscheduled else ""
    waiting = ((name, container.waiting) for name, container in pod.containers.items())
    said = (f"{name}: {why['reason']}. {why['message']}" for name, why in waiting if why.get("message"))
    return next(said, "")


def _changes_at(job: JobView, pod: PodView | None, now: datetime) -> datetime | None:
    """When the task may be another one although neither its Job nor its pod has changed; None: never."""
    if pod is None:
        moments: Iterable[datetime | None] = [_no_pod_at(job)]
    else:
        moments = [has_waited_at(pod), no_sandbox_at(pod), pod.must_be_gone_at]
    return min((moment for moment in moments if moment is not None and moment > now), default=None)


def _no_pod_at(job: JobView) -> datetime:
    """When a Job that was let go should have had its pod for long."""
    return (job.started_at or job.created_at) + NO_POD_AFTER


def _without_counts(said: str) -> str:
    """The scheduler's first sentence, without how many nodes each reason is true of: with every node that comes or goes
    these change for all pods that wait."""
    sentence = said.split(". ")[0].rstrip(".")
    found = NO_NODES.match(sentence)
    if found is None:
        return sentence
    reasons = {COUNT.sub("", one) for one in sentence[found.end() :].split(", ")}
    return f"No nodes are available: {', '.join(sorted(reasons))}."


def _unreachable_since(pod: PodView, now: datetime) -> datetime | None:
    """Since when it looks as if nobody looked after the pod any more; None: it does not. It may stay so for ever.

    It was told to go because its node is silent, or it is overdue. Or it is not Ready although its containers are: a
    kubelet says both at once, so it was the node controller, which has not heard of the node. That is the only sign
    where the pod tolerates everything, and so is never told to go.
    """
    target, unready, until = pod.condition("DisruptionTarget"), pod.lacks("Ready"), pod.must_be_gone_at
    signs = (
        target.since if target and target.reason in SILENT_NODE else None,
        unready.since if unready and pod.condition("ContainersReady") else None,
        until if until and until <= now else None,
    )
    return min((since for since in signs if since is not None), default=None)


def _finished_at(job: JobView) -> datetime | None:
    ends = [job.condition(kind) for kind in ("Complete", "Failed", "Suspended")]
    return next((end.since for end in ends if end), None)
