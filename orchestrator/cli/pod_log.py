"""What an agent wrote in an attempt on a cluster: from its pod while that is there, from the store afterwards."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
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
    context: str
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
        """From the pod as it comes. Where the connection breaks, on after the last line by its time: a node keeps only
        so much of a log, so the file may be another one by then."""
        last = ""
        while (pod := self._pod()) is not None:
            if _has_begun(pod):
                for written_at, line in self._follow(pod, last):
                    last = written_at
                    yield line
                if self._has_ended():
                    return
            time.sleep(LOOK_SECONDS)
        if not last:
            yield self.read() or b""

    def _follow(self, pod: Object, last: str) -> Iterator[tuple[str, bytes]]:
        """Lines with their times, those that came after the last one."""
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        with explained(self.context, "get", LOGS, namespace), suppress(Unavailable, NotFound):
            parts = self.api.logs(namespace, name, AGENT, follow=True, timestamps=True, since=last)
            for line in _lines(parts):
                written_at, _, text = line.partition(b" ")
                if written_at.decode() > last:
                    yield written_at.decode(), text

    def _read(self, pod: Object, container: str) -> bytes:
        metadata = pod["metadata"]
        with explained(self.context, "get", LOGS, metadata["namespace"]):
            return b"".join(self.api.logs(metadata["namespace"], metadata["name"], container))

    def _pod(self) -> Object | None:
        """The attempt's pod; a Job has one and no other."""
        namespace = self.run.metadata.namespace
        selector = f"{JOB_NAME}={agent_task(self.run.metadata.uid, self.key)}"
        with explained(self.context, "list", PODS, namespace):
            pods = self.api.list(PODS, namespace, selector).items
        return max(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)

    def _has_ended(self) -> bool:
        pod = self._pod()
        return pod is None or "terminated" in _state(pod)


def _lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines. What a connection that broke had cut off comes again."""
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest


def _statuses(pod: Object, kind: str) -> list[Object]:
    found: list[Object] = pod.get("status", {}).get(kind, [])
    return found


def _state(pod: Object) -> Object:
    """Of the agent's container: waiting, running or terminated."""
    found: Object = next((one["state"] for one in _statuses(pod, "containerStatuses") if one["name"] == AGENT), {})
    return found


def _has_begun(pod: Object) -> bool:
    return not {"running", "terminated"}.isdisjoint(_state(pod))
