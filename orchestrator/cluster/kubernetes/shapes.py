"""What is read of Jobs and pods, and of the pages of a list that they come in.

There may be ten thousand of them, and the rest (templates with the orders of the workers, whose fields are whose) is
most of an object. A list is decoded into these shapes: what is not named here is skipped, which takes a tenth of the
time that making it and throwing it away takes.
"""

from __future__ import annotations

from typing import Any, TypedDict

import msgspec


class Metadata(TypedDict, total=False):
    namespace: str
    name: str
    uid: str
    resourceVersion: str
    generation: int
    creationTimestamp: str
    deletionTimestamp: str
    deletionGracePeriodSeconds: int
    labels: dict[str, str]
    annotations: dict[str, str]


class JobSpec(TypedDict, total=False):
    suspend: bool


class JobStatus(TypedDict, total=False):
    active: int
    terminating: int
    failed: int
    startTime: str
    conditions: list[dict[str, Any]]


class Job(TypedDict, total=False):
    metadata: Metadata
    spec: JobSpec
    status: JobStatus


class PodSpec(TypedDict, total=False):
    nodeName: str


class Container(TypedDict, total=False):
    """The status of one."""

    name: str
    state: dict[str, Any]
    lastState: dict[str, Any]
    imageID: str


class PodStatus(TypedDict, total=False):
    phase: str
    reason: str
    message: str
    conditions: list[dict[str, Any]]
    initContainerStatuses: list[Container]
    containerStatuses: list[Container]


class Pod(TypedDict, total=False):
    metadata: Metadata
    spec: PodSpec
    status: PodStatus


PageDecoder = msgspec.json.Decoder[dict[str, Any]]


def names(shape: Any) -> frozenset[str]:
    """What a shape has."""
    return frozenset(shape.__annotations__)


def pages_of(shape: Any) -> PageDecoder:
    """Reads a page of a list of such objects; ValueError if it is none."""
    fields = {"metadata": dict[str, Any], "items": list[shape] | None}
    return msgspec.json.Decoder(TypedDict("Page", fields, total=False))  # type: ignore[operator]
