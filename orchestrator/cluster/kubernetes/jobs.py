"""One Job is one attempt is one pod. Pure: the same arguments give the same object.

A Job never starts a second pod by itself (`backoffLimit: 0`), and it fails when its pod is disrupted, so that the
reason outlives the pod. Agent Jobs live in the experiment's namespace and go with it. Prepare and grade Jobs, whose
pods have a key to the answers, live beside the controller, out of the agents' namespace, and are found by their labels.
"""

from __future__ import annotations

import re

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
"""A day of work is not moved to save half a node."""

WORKER_DEADLINE_SECONDS = 48 * 3600
WORKER_KEPT_SECONDS = 30 * 24 * 3600
"""Nothing can own Jobs of another namespace: should the controller be gone for good, these go by themselves."""

PREPARE_STORAGE_BASE = 20 * GIB
PREPARE_STORAGE_PER_GB = 4
"""The archive beside what comes out of it, then the raw files beside both prepared halves."""


def agent_job(experiment: Experiment, start: Start, settings: Settings, token: str) -> Object:
    """The Job of one attempt. With a queue it starts suspended, and the queue lets it go."""
    template = {
        "metadata": {"labels": _labels(experiment, start), "annotations": dict(DO_NOT_DISRUPT)},
        "spec": agent_pod(experiment, start, settings, token),
    }
    job = _job(experiment, start, experiment.namespace, template)
    job["metadata"]["ownerReferences"] = [owner_reference(experiment)]
    queue = experiment.spec.placement.queue or settings.agents.queue
    if queue:
        job["metadata"]["labels"][labels.QUEUE] = queue
        job["spec"]["suspend"] = True
    return job


def prepare_job(experiment: Experiment, start: Start, settings: Settings, size_gb: float = 0.0) -> Object:
    """The Job that prepares a competition whose download has this size; its disk grows with it up to the settings'."""
    needed = PREPARE_STORAGE_BASE + int(size_gb * PREPARE_STORAGE_PER_GB * 10**9)
    most = Share.of(settings.prepare.resources, settings.prepare.storage)
    share = Share(most.millicpus, most.memory, min(most.storage, needed))
    return _worker_job(experiment, start, settings, settings.prepare, prepare_order(experiment, start, settings), share)


def grade_job(experiment: Experiment, start: Start, settings: Settings) -> Object:
    """The Job that grades an attempt."""
    share = Share.of(settings.grade.resources, settings.grade.storage)
    return _worker_job(experiment, start, settings, settings.grade, grade_order(experiment, start, settings), share)


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
    experiment: Experiment, start: Start, settings: Settings, how: WorkerSettings, order: Order, share: Share
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
    template = {"metadata": {"labels": _labels(experiment, start)}, "spec": pod}
    job = _job(experiment, start, settings.namespace, template)
    job["spec"]["ttlSecondsAfterFinished"] = WORKER_KEPT_SECONDS
    return job


def _job(experiment: Experiment, start: Start, namespace: str, template: Object) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": start.name,
            "namespace": namespace,
            "labels": _labels(experiment, start),
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
