"""One Job is one attempt is one pod. Pure: the same arguments give the same object.

A Job never starts a second pod by itself (`backoffLimit: 0`), and it fails when its pod is disrupted, so that the
reason outlives the pod. Agent Jobs live in the experiment's namespace and go with it. Prepare and grade Jobs, whose
pods have a key to the answers, live beside the controller, out of the agents' namespace, and are found by their labels;
they go with the controller's Lease, and so with the release that it is of.
A prepare Job is shared by all experiments that need its dataset (`shared.py`). No Job has a TTL: one that failed is the
memory of its try, and the controller knows when nobody needs it any more (`core/expiry.py`, `controller/farewell.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import TypeAdapter

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.amounts import GIB, Share
from orchestrator.cluster.kubernetes.containers import authorities, mount, pod_basics, worker
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.orders import SCRATCH, grade_order, prepare_order
from orchestrator.cluster.kubernetes.pods import agent_pod
from orchestrator.cluster.kubernetes.settings import Settings, WorkerSettings
from orchestrator.core.model import Experiment, Role, Start
from orchestrator.worker.orders import Order

START = TypeAdapter(Start)

DO_NOT_DISRUPT = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}
"""A day of work, or of downloading, is not moved to save half a node."""

WORKER_DEADLINE_SECONDS = 48 * 3600

PREPARE_STORAGE_BASE = 20 * GIB
PREPARE_STORAGE_PER_GB = 4
"""The archive beside what comes out of it, then the raw files beside both prepared halves."""
PREPARE_MEMORY_BASE = 8 * GIB
PREPARE_MEMORY_PER_GB = 4
"""A first guess: some preparers hold a table of the download's size, most hold a part. After one that ran out of memory
the next try asks for twice as much, so a guess that was too low mends itself; what was downloaded is kept meanwhile."""


def agent_job(experiment: Experiment, start: Start, settings: Settings, token: str) -> Object:
    """The Job of one attempt. With a queue it starts suspended, and the queue lets it go."""
    template = {
        "metadata": {"labels": _labels(experiment, start), "annotations": dict(DO_NOT_DISRUPT)},
        "spec": agent_pod(experiment, start, settings, token),
    }
    job = _job(_labels(experiment, start), start, experiment.namespace, template)
    job["metadata"]["ownerReferences"] = [owner_reference(experiment)]
    queue = experiment.spec.placement.queue or settings.agents.queue
    if queue:
        job["metadata"]["labels"][labels.QUEUE] = queue
        job["spec"]["suspend"] = True
    return job


def prepare_job(start: Start, settings: Settings, size_gb: float = 0.0) -> Object:
    """The Job that prepares a competition whose download has this size. It belongs to no experiment: all that need the
    dataset wait for it."""
    share = prepare_share(settings, size_gb, start.out_of_memory)
    return _worker_job(_shared_labels(start), start, settings, settings.prepare, prepare_order(start, settings), share)


def prepare_share(settings: Settings, size_gb: float, out_of_memory: int = 0) -> Share:
    """What that Job asks for: disk and memory grow with the download up to the settings'."""
    most = Share.of(settings.prepare.resources, settings.prepare.storage)
    storage = PREPARE_STORAGE_BASE + int(size_gb * PREPARE_STORAGE_PER_GB * 10**9)
    memory = PREPARE_MEMORY_BASE + int(size_gb * PREPARE_MEMORY_PER_GB * 10**9)
    return Share(most.millicpus, memory << min(out_of_memory, 10), storage).at_most(most)


def grade_job(experiment: Experiment, start: Start, settings: Settings) -> Object:
    """The Job that grades an attempt."""
    share = Share.of(settings.grade.resources, settings.grade.storage)
    order, mine = grade_order(experiment, start, settings), _labels(experiment, start)
    return _worker_job(mine, start, settings, settings.grade, order, share)


def stop_patch(job: Object, why: str) -> Object:
    """The change that says why a Job is to end and takes its pod away; the Job controller gives it the time to collect.

    A queue lets a Job that somebody else suspends go again while it has room for it, and gets that back only from one
    that is finished: so a Job of a queue fails, for its time is over.
    """
    end = {"activeDeadlineSeconds": 0} if labels.QUEUE in job["metadata"]["labels"] else {"suspend": True}
    return {"metadata": {"annotations": {labels.STOP: why}}, "spec": end}


def is_told_to_stop(job: Object) -> bool:
    """Whether that change was made."""
    is_ended = labels.QUEUE in job["metadata"]["labels"] or job["spec"]["suspend"]
    return bool(is_ended and labels.STOP in job["metadata"]["annotations"])


def owner_reference(experiment: Experiment) -> Object:
    """What makes the garbage collector remove an object together with its ExperimentRun."""
    return {
        "apiVersion": f"{labels.GROUP}/v1alpha1",
        "kind": "ExperimentRun",
        "name": experiment.name,
        "uid": experiment.uid,
        "controller": True,
    }


def experiment_labels(experiment: Experiment) -> dict[str, str]:
    """Labels of everything that belongs to an experiment."""
    return {
        labels.MANAGED_BY: labels.MLECTL,
        labels.EXPERIMENT: label_value(experiment.name),
        labels.EXPERIMENT_UID: experiment.uid,
        labels.EXPERIMENT_NAMESPACE: experiment.namespace,
    }


def label_value(text: str) -> str:
    """As much of the text as a label may have."""
    return re.sub(r"[^A-Za-z0-9]+$", "", text[:63])


def _worker_job(
    marked: Mapping[str, str], start: Start, settings: Settings, how: WorkerSettings, order: Order, share: Share
) -> Object:
    container = worker(start.role, order, [mount("scratch", str(SCRATCH))], share, settings, str(SCRATCH))
    if how.secrets:
        container["envFrom"] = [{"secretRef": {"name": name}} for name in how.secrets]
    chosen = {"nodeSelector": dict(how.node_selector), "tolerations": list(how.tolerations)}
    pod = {
        **pod_basics(settings),
        **{name: value for name, value in chosen.items() if value},
        "containers": [container],
        "volumes": [{"name": "scratch", "emptyDir": {}}, *authorities(settings)],
        "activeDeadlineSeconds": WORKER_DEADLINE_SECONDS,
    }
    template = {"metadata": {"labels": dict(marked), "annotations": dict(DO_NOT_DISRUPT)}, "spec": pod}
    return _job(marked, start, settings.namespace, template)


def _job(marked: Mapping[str, str], start: Start, namespace: str, template: Object) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": start.name,
            "namespace": namespace,
            "labels": dict(marked),
            "annotations": {labels.START: START.dump_json(start, exclude_defaults=True).decode()},
        },
        "spec": {
            "completions": 1,
            "parallelism": 1,
            "backoffLimit": 0,
            "podFailurePolicy": {
                "rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
            },
            "template": template,
        },
    }


def _shared_labels(start: Start) -> dict[str, str]:
    """Of a Job that is no experiment's."""
    return {
        labels.MANAGED_BY: labels.MLECTL,
        labels.ROLE: start.role.value,
        labels.BENCHMARK: start.version,
        labels.COMPETITION: start.competition,
        labels.ATTEMPT: str(start.attempt),
    }


def _labels(experiment: Experiment, start: Start) -> dict[str, str]:
    mine = {
        **experiment_labels(experiment),
        labels.ROLE: start.role.value,
        labels.COMPETITION: start.competition,
        labels.ATTEMPT: str(start.attempt),
    }
    if start.seed is not None:
        mine[labels.SEED] = str(start.seed)
    if start.role is Role.AGENT:
        mine[labels.NETWORK] = experiment.spec.network.mode
    return mine
