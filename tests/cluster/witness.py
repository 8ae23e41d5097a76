"""Watches the Jobs and pods of a namespace as the controller does, and notes every task that it could have read."""

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.informer import Informer
from orchestrator.cluster.kubernetes.kinds import JOBS, PODS, Kind, Object
from orchestrator.cluster.kubernetes.labels import QUEUE
from orchestrator.cluster.kubernetes.shapes import JOB_NAME, Job, Pod
from orchestrator.cluster.kubernetes.tasks import task_of
from orchestrator.core.model import Task

PATIENCE_SECONDS = 240.0


DULL = {"containerID", "lastProbeTime", "observedGeneration", "ownerReferences", "resourceVersion", "uid", "namespace"}


def shortened(thing: Any) -> Any:
    """Without what no task depends on."""
    if isinstance(thing, list):
        return [shortened(one) for one in thing]
    if not isinstance(thing, dict):
        return thing
    kept = {key: shortened(value) for key, value in thing.items() if key not in DULL}
    if "labels" in kept:
        kept["labels"] = {key: value for key, value in kept["labels"].items() if key == QUEUE}
    return kept


class Witness:
    def __init__(self, api: Api, namespace: str) -> None:
        self.api = api
        self.namespace = namespace
        self.jobs: dict[str, Object] = {}
        self.pods: dict[str, Object] = {}
        self.heard: list[tuple[str, Object | None, str]] = []
        """Every change in order: of what, the object (None: gone), its name."""
        self.read: dict[str, list[Task]] = {}
        """Every task that could have been read of a Job, one for each change."""
        self._news = threading.Condition()
        self._informers = [
            self._follow(JOBS, self.jobs, Job),
            self._follow(PODS, self.pods, Pod),
        ]

    def __enter__(self) -> "Witness":
        for informer in self._informers:
            informer.start()
        return self

    def __exit__(self, *error: object) -> None:
        for informer in self._informers:
            informer.stop()

    def create(self, job: Object) -> str:
        """Create the Job here; its name."""
        made = self.api.create(JOBS, self.namespace, job)
        return str(made["metadata"]["name"])

    def task(self, name: str, *, later: timedelta = timedelta(0)) -> Task:
        """The task as it can be read now, or as it would be read if this were later."""
        return task_of(self.jobs[name], self.pods_of(name), datetime.now(UTC) + later)

    def pods_of(self, name: str) -> list[Object]:
        return [pod for pod in self.pods.values() if pod["metadata"]["labels"].get(JOB_NAME) == name]

    def wait_for(self, name: str, what: Callable[[Task], object], *, later: timedelta = timedelta(0)) -> Task:
        """The first task of that Job of which this holds."""
        with self._news:
            fine = self._news.wait_for(
                lambda: name in self.jobs and what(self.task(name, later=later)), PATIENCE_SECONDS
            )
            assert fine, f"waited in vain; the last of it is {self.task(name)} of {json.dumps(self.pods_of(name))}"
            return self.task(name, later=later)

    def wait_until_final(self, name: str) -> Task:
        """How it ended. From then on it must stay as it is, and it must never have been taken for final before."""
        final = self.wait_for(name, lambda task: task.phase.is_final)
        firsts = [task for task in self.read[name] if task.phase.is_final]
        assert {(task.phase, task.ending) for task in firsts} == {(final.phase, final.ending)}
        return final

    def write(self, path: Path, name: str) -> None:
        """Everything that was heard of a Job and its pods, for tests that need no cluster."""
        changes = [
            {"kind": kind, "name": who, "object": what and shortened(what)}
            for kind, what, who in self.heard
            if who == name or who.startswith(f"{name}-")
        ]
        path.parent.mkdir(exist_ok=True)
        lines = ",\n".join(json.dumps(change, sort_keys=True) for change in changes)
        path.write_text(f"[\n{lines}\n]\n")

    def _follow(self, kind: Kind, known: dict[str, Object], shape: Any) -> Informer:
        informer = Informer(self.api, kind, [self.namespace], shape=shape)

        def note(before: Object | None, now: Object | None) -> None:
            there = now or before
            assert there is not None
            name = there["metadata"]["name"]
            with self._news:
                self.heard.append((kind.plural, now, name))
                if now is None:
                    known.pop(name, None)
                else:
                    known[name] = now
                self._read_again(there["metadata"]["labels"].get(JOB_NAME, name))
                self._news.notify_all()

        informer.on_change(note)
        return informer

    def _read_again(self, job: str) -> None:
        if job in self.jobs:
            self.read.setdefault(job, []).append(self.task(job))
