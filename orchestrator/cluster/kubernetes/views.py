"""Jobs and pods as the API server tells of them: raw JSON, where anything may be missing, behind plain names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.core.model import Role

NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Condition:
    """A condition of an object that is True, or False where that was asked for."""

    reason: str
    message: str
    since: datetime | None


@dataclass(frozen=True)
class ContainerView:
    """One container of a pod; of a container that was not reached yet everything is empty."""

    raw: Mapping[str, Any]

    @property
    def waiting(self) -> Mapping[str, Any]:
        """Why it does not run yet: reason and message."""
        return self._state("waiting")

    @property
    def ended(self) -> Mapping[str, Any]:
        """How it ended: exitCode, reason, message, finishedAt."""
        return self._state("terminated")

    @property
    def ended_before(self) -> Mapping[str, Any]:
        """How it ended the last time, if it was started again."""
        found: Mapping[str, Any] = (self.raw.get("lastState") or NOTHING).get("terminated") or NOTHING
        return found

    @property
    def started_at(self) -> datetime | None:
        return parse_time(self._state("running").get("startedAt") or self.ended.get("startedAt"))

    @property
    def is_running(self) -> bool:
        return "running" in (self.raw.get("state") or NOTHING)

    @property
    def exit_code(self) -> int | None:
        return self.ended.get("exitCode")

    @property
    def failed(self) -> bool:
        return bool(self.exit_code)

    @property
    def image_id(self) -> str | None:
        return self.raw.get("imageID") or None

    def _state(self, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = (self.raw.get("state") or NOTHING).get(name) or NOTHING
        return found


class PodView:
    """One pod."""

    def __init__(self, raw: Object) -> None:
        self.raw = raw
        found = [*(self.status.get("initContainerStatuses") or ()), *(self.status.get("containerStatuses") or ())]
        self.containers = {str(one["name"]): ContainerView(one) for one in found}
        """By name, in the order in which they start."""

    @property
    def created_at(self) -> str:
        return str(self.raw["metadata"].get("creationTimestamp", ""))

    @property
    def status(self) -> Mapping[str, Any]:
        return self.raw.get("status") or NOTHING

    @property
    def phase(self) -> str:
        return str(self.status.get("phase", "Pending"))

    @property
    def has_ended(self) -> bool:
        return self.phase in ("Succeeded", "Failed")

    @property
    def node(self) -> str | None:
        return (self.raw.get("spec") or NOTHING).get("nodeName")

    @property
    def must_be_gone_at(self) -> datetime | None:
        """Of a pod that was told to go: when its grace is over."""
        return parse_time(self.raw["metadata"].get("deletionTimestamp"))

    @property
    def told_to_go_at(self) -> datetime | None:
        """As far as that can be known: at its very end, or by force, a pod is deleted once more without any grace, and
        then it must have been told some time before."""
        until, grace = self.must_be_gone_at, self.raw["metadata"].get("deletionGracePeriodSeconds")
        if until is None:
            return None
        return until - timedelta(seconds=grace) if grace else parse_time(self.created_at)

    def container(self, name: str) -> ContainerView:
        return self.containers.get(name) or ContainerView(NOTHING)

    def main(self, role: Role) -> ContainerView:
        """The container that the pod is there for; it has the name of its task's role."""
        return self.container(role.value)

    def condition(self, kind: str) -> Condition | None:
        return condition_of(self.raw, kind)

    def lacks(self, kind: str) -> Condition | None:
        """The condition if it is there and False."""
        return condition_of(self.raw, kind, "False")


@dataclass(frozen=True)
class JobView:
    """One Job."""

    raw: Object

    @property
    def metadata(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.raw["metadata"]
        return found

    @property
    def annotations(self) -> Mapping[str, str]:
        return self.metadata.get("annotations") or NOTHING

    @property
    def labels(self) -> Mapping[str, str]:
        return self.metadata.get("labels") or NOTHING

    @property
    def created_at(self) -> datetime:
        created_at = parse_time(self.metadata["creationTimestamp"])
        if created_at is None:
            raise ValueError(f"Job {self.metadata.get('name')} has no creationTimestamp: it is not from an API server")
        return created_at

    @property
    def started_at(self) -> datetime | None:
        """When it was let go, for the last time."""
        return parse_time((self.raw.get("status") or NOTHING).get("startTime"))

    @property
    def is_suspended(self) -> bool:
        return bool(self.raw["spec"].get("suspend"))

    @property
    def waits(self) -> bool:
        """Whether it is suspended, and no pod of it is left."""
        return self.is_suspended and self.condition("Suspended") is not None and self.pods_left == 0

    @property
    def pods_left(self) -> int:
        """Pods that run, or that were told to go and are still there, as the Job controller counts them."""
        status = self.raw.get("status") or NOTHING
        return int(status.get("active") or 0) + int(status.get("terminating") or 0)

    @property
    def has_failed(self) -> bool:
        """Whether it says so, or has counted the failure of its only pod and does not even say that it is about to.

        The Job controller may never get to say it: a pod that it first sees when somebody has deleted it, as after an
        outage of the API server, is for it not the one that it made and waits for. One that it ends itself it counts
        before it has gone.
        """
        if self.condition("Failed") is not None:
            return True
        counted = bool((self.raw.get("status") or NOTHING).get("failed")) and self.pods_left == 0
        return counted and self.condition("FailureTarget") is None

    def condition(self, kind: str) -> Condition | None:
        return condition_of(self.raw, kind)


def condition_of(raw: Object, kind: str, status: str = "True") -> Condition | None:
    """The condition if it is there and True, or what else is asked for."""
    for one in (raw.get("status") or NOTHING).get("conditions") or ():
        if one["type"] == kind and one["status"] == status:
            return Condition(
                one.get("reason") or "", one.get("message") or "", parse_time(one.get("lastTransitionTime"))
            )
    return None


def parse_time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
