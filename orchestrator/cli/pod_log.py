"""What an agent wrote in an attempt on a cluster: from its pod while that is there, from the store afterwards."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from orchestrator.api.types import ExperimentRun
from orchestrator.cli.cluster_errors import explained
from orchestrator.cli.cluster_store import open_runs
from orchestrator.cli.place import keys_of
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import NotFound, Unavailable
from orchestrator.cluster.kubernetes.kinds import PODS, Kind, Object
from orchestrator.core.model import AttemptKey
from orchestrator.core.names import agent_task

AGENT = "agent"
LOGS = Kind("", "v1", "pods/log", "Pod")
JOB_NAME = "batch.kubernetes.io/job-name"
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class PodLog:
    """The log of one attempt."""

    api: Api
    cluster: str
    run: ExperimentRun
    key: AttemptKey

    def read(self) -> bytes | None:
        pod = self._pod()
        if pod is None:
            return open_runs(self.run).read(keys_of(self.run).attempt(*self.key).agent_log)
        return self._read(pod, AGENT) if _has_begun(pod) else None

    def read_pod(self) -> bytes | None:
        pod = self._pod()
        if pod is None:
            return None
        containers = [one["name"] for one in _statuses(pod, "initContainerStatuses") if "waiting" not in one["state"]]
        return b"".join(f"--- {name}\n".encode() + self._read(pod, name) for name in containers)

    def follow(self) -> Iterator[bytes]:
        """From the pod as it comes. Where the connection breaks, on from there: a log only grows."""
        seen = 0
        while (pod := self._pod()) is not None:
            if _has_begun(pod):
                for part in self._follow(pod, seen):
                    seen += len(part)
                    yield part
                if self._has_ended():
                    return
            time.sleep(LOOK_SECONDS)
        if seen == 0:
            yield self.read() or b""

    def _follow(self, pod: Object, skip: int) -> Iterator[bytes]:
        metadata = pod["metadata"]
        with explained(self.cluster, "get", LOGS, metadata["namespace"]), suppress(Unavailable, NotFound):
            for part in self.api.logs(metadata["namespace"], metadata["name"], AGENT, follow=True):
                yield part[skip:]
                skip = max(0, skip - len(part))

    def _read(self, pod: Object, container: str) -> bytes:
        metadata = pod["metadata"]
        with explained(self.cluster, "get", LOGS, metadata["namespace"]):
            return b"".join(self.api.logs(metadata["namespace"], metadata["name"], container))

    def _pod(self) -> Object | None:
        """The attempt's pod; a Job has one and no other."""
        namespace = self.run.metadata.namespace
        selector = f"{JOB_NAME}={agent_task(self.run.metadata.uid, self.key)}"
        with explained(self.cluster, "list", PODS, namespace):
            pods = self.api.list(PODS, namespace, selector).items
        return max(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)

    def _has_ended(self) -> bool:
        pod = self._pod()
        return pod is None or "terminated" in _state(pod)


def _statuses(pod: Object, kind: str) -> list[Object]:
    found: list[Object] = pod.get("status", {}).get(kind, [])
    return found


def _state(pod: Object) -> Object:
    """Of the agent's container: waiting, running or terminated."""
    found: Object = next((one["state"] for one in _statuses(pod, "containerStatuses") if one["name"] == AGENT), {})
    return found


def _has_begun(pod: Object) -> bool:
    return not {"running", "terminated"}.isdisjoint(_state(pod))
