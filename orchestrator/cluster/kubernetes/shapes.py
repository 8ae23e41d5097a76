"""What is kept of Jobs and pods: what a task is read from, and whose it is.

There may be ten thousand of them, and the rest (templates with the orders of the workers, whose fields are whose) is
most of an object. A list is decoded into these shapes: what is not named here is skipped, which takes a tenth of the
time that making it and throwing it away takes.
"""

from __future__ import annotations

from typing import Any, TypedDict

import msgspec

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import Object

JOB_NAME = "batch.kubernetes.io/job-name"


def _some(name: str, *keys: str) -> Any:
    """A mapping with some of these keys, each of a text."""
    return TypedDict(name, dict.fromkeys(keys, str), total=False)  # type: ignore[operator]


JobLabels = _some(
    "JobLabels",
    labels.EXPERIMENT_UID,
    labels.EXPERIMENT_NAMESPACE,
    labels.BENCHMARK,
    labels.COMPETITION,
    labels.QUEUE,
)
JobAnnotations = _some("JobAnnotations", labels.START, labels.STOP, labels.ENDED)
PodLabels = _some("PodLabels", labels.EXPERIMENT_UID, labels.BENCHMARK, JOB_NAME)


class Metadata(TypedDict, total=False):
    namespace: str
    name: str
    uid: str
    resourceVersion: str
    generation: int
    creationTimestamp: str
    deletionTimestamp: str
    deletionGracePeriodSeconds: int


class JobMetadata(Metadata, total=False):
    labels: JobLabels  # type: ignore[valid-type]
    annotations: JobAnnotations  # type: ignore[valid-type]


class PodMetadata(Metadata, total=False):
    labels: PodLabels  # type: ignore[valid-type]


class Condition(TypedDict, total=False):
    type: str
    status: str
    reason: str
    message: str
    lastTransitionTime: str | None


class JobSpec(TypedDict, total=False):
    suspend: bool


class JobStatus(TypedDict, total=False):
    active: int
    terminating: int
    failed: int
    startTime: str
    conditions: list[Condition]


class Job(TypedDict, total=False):
    metadata: JobMetadata
    spec: JobSpec
    status: JobStatus


class Waiting(TypedDict, total=False):
    reason: str
    message: str


class Running(TypedDict, total=False):
    startedAt: str | None


class Terminated(Waiting, total=False):
    exitCode: int
    startedAt: str | None
    finishedAt: str | None


class State(TypedDict, total=False):
    """Of a container: one of the three."""

    waiting: Waiting
    running: Running
    terminated: Terminated


class Container(TypedDict, total=False):
    """The status of one."""

    name: str
    state: State
    lastState: State
    imageID: str


class PodSpec(TypedDict, total=False):
    nodeName: str


class PodStatus(TypedDict, total=False):
    phase: str
    reason: str
    message: str
    conditions: list[Condition]
    initContainerStatuses: list[Container]
    containerStatuses: list[Container]


class Pod(TypedDict, total=False):
    metadata: PodMetadata
    spec: PodSpec
    status: PodStatus


PageDecoder = msgspec.json.Decoder[dict[str, Any]]


def keep(shape: Any, item: Object) -> Object:
    """A copy with no more than the shape has; ValueError if it is none."""
    kept: Object = msgspec.convert(item, shape)
    return kept


def pages_of(shape: Any) -> PageDecoder:
    """Reads a page of a list of such objects; ValueError if it is none."""
    fields = {"metadata": dict[str, Any], "items": list[shape] | None}
    return msgspec.json.Decoder(TypedDict("Page", fields, total=False))  # type: ignore[operator]
