"""What the controller watches: ExperimentRuns, and the Jobs and pods that belong to them, by label.

Most Jobs belong to one experiment, by its uid. Prepare Jobs belong to a version of the benchmark: all experiments of it
are told of them that are not finished.

Of Jobs and pods only what a task is read from is kept (`shapes.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from orchestrator.api.key import Key
from orchestrator.api.types import Phase
from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.informer import Informer, Objects
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, JOBS, PODS, Object
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.cluster.kubernetes.shapes import JOB_NAME, Job, Pod

OURS = f"{labels.MANAGED_BY}={labels.MLECTL},{labels.ROLE}"

FINISHED = frozenset(phase.value for phase in Phase if phase.is_finished)

OnNews = Callable[[Key], None]


class Watched:
    """The three informers."""

    def __init__(self, api: Api, settings: Settings) -> None:
        everywhere = tuple(dict.fromkeys((*settings.watch, settings.namespace))) if settings.watch else ()
        self.experiments = Informer(api, EXPERIMENTS, settings.watch)
        self.jobs = Informer(api, JOBS, everywhere, OURS, index=owner_of, shape=Job)
        self.pods = Informer(api, PODS, everywhere, OURS, index=owner_of, shape=Pod)
        self._keys: dict[str, Key] = {}
        """By uid: Jobs and pods know whose they are by that alone."""
        self._listeners: list[OnNews] = []
        self._mourners: list[OnNews] = []
        self.experiments.on_change(self._experiment_changed)
        for informer in (self.jobs, self.pods):
            informer.on_change(self._task_changed)

    def on_news(self, listener: OnNews) -> None:
        """Tell it of each experiment that something has happened to. It must not block."""
        self._listeners.append(listener)

    def on_gone(self, listener: OnNews) -> None:
        """Tell it of each experiment that is gone, even if there is another one of its name. It must not block."""
        self._mourners.append(listener)

    def start(self) -> None:
        for informer in self._informers:
            informer.start()

    def stop(self) -> None:
        for informer in self._informers:
            informer.stop()

    def wait_synced(self, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        return all(one.wait_synced(max(0.0, deadline - time.monotonic())) for one in self._informers)

    @property
    def has_synced(self) -> bool:
        return all(informer.has_synced for informer in self._informers)

    @property
    def is_stale(self) -> bool:
        return any(informer.is_stale() for informer in self._informers)

    @property
    def problem(self) -> str | None:
        """Why the API server is not heard at the moment, if it is not."""
        return next((informer.problem for informer in self._informers if informer.problem), None)

    def keys(self) -> list[Key]:
        """Every experiment there is."""
        return [key_of(item) for item in self.experiments.list()]

    def uids(self) -> set[str]:
        return {item["metadata"]["uid"] for item in self.experiments.list()}

    def experiment(self, key: Key) -> Object | None:
        return self.experiments.get(key.namespace, key.name)

    def jobs_of(self, owner: str) -> Objects:
        """Of an experiment by its uid, or of what is `shared_by` a version."""
        return self.jobs.indexed(owner)

    def pods_of(self, owner: str) -> Mapping[tuple[str, str], Objects]:
        """The same of pods, by their Job's namespace and name."""
        found: dict[tuple[str, str], Objects] = {}
        for pod in self.pods.indexed(owner):
            name = pod["metadata"]["labels"].get(JOB_NAME, "")
            found.setdefault((pod["metadata"]["namespace"], name), []).append(pod)
        return found

    @property
    def _informers(self) -> Sequence[Informer]:
        return self.experiments, self.jobs, self.pods

    def _experiment_changed(self, old: Object | None, new: Object | None) -> None:
        if new is not None:
            self._keys[new["metadata"]["uid"]] = key_of(new)
        if old is not None and (new is None or new["metadata"]["uid"] != old["metadata"]["uid"]):
            self._keys.pop(old["metadata"]["uid"], None)
            for mourner in self._mourners:
                mourner(key_of(old))
        if (item := new or old) is not None:
            self.tell(key_of(item))

    def _task_changed(self, old: Object | None, new: Object | None) -> None:
        item = new or old
        if item is None:
            return
        marked = item["metadata"]["labels"]
        if (version := marked.get(labels.BENCHMARK)) is not None:
            for key in self._open_keys(version):
                self.tell(key)
        elif (mine := self._keys.get(marked.get(labels.EXPERIMENT_UID, ""))) is not None:
            self.tell(mine)

    def _open_keys(self, version: str) -> list[Key]:
        """Experiments of a version that are not finished: any of them may wait for a dataset of it."""
        return [
            key_of(item)
            for item in self.experiments.list()
            if item["spec"].get("benchmark", version) == version
            and (item.get("status") or {}).get("phase") not in FINISHED
        ]

    def tell(self, key: Key) -> None:
        """Something has happened to an experiment; also where only we know of it, since our own writes are no news."""
        for listener in self._listeners:
            listener(key)


def key_of(item: Object) -> Key:
    return Key(item["metadata"]["namespace"], item["metadata"]["name"])


def owner_of(item: Object) -> str:
    """Whose a Job or a pod is: an experiment's uid, or `shared_by` a version."""
    marked = item["metadata"]["labels"]
    version = marked.get(labels.BENCHMARK)
    return shared_by(version) if version else str(marked.get(labels.EXPERIMENT_UID, ""))


def shared_by(version: str) -> str:
    """The owner of Jobs and pods that all experiments of a version share."""
    return f"shared/{version}"
