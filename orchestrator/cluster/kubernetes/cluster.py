"""A Kubernetes cluster behind the protocol that the controller uses (`controller/cluster.py`).

Reads come from what is watched, with our own writes laid on top, and cost no request. Writes are one request each.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunStatus
from orchestrator.cluster.experiments import SpecRefused
from orchestrator.cluster.facts import ticket_of
from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.endings import write_note
from orchestrator.cluster.kubernetes.errors import AlreadyExists, NotFound
from orchestrator.cluster.kubernetes.events import tell
from orchestrator.cluster.kubernetes.experiments import ExperimentReader
from orchestrator.cluster.kubernetes.jobs import agent_job, grade_job, is_told_to_stop, prepare_job, stop_patch
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, JOBS, NETWORK_POLICIES, Object
from orchestrator.cluster.kubernetes.known_tasks import KnownTasks
from orchestrator.cluster.kubernetes.merging import merge_patch
from orchestrator.cluster.kubernetes.network import network_policy, policy_name
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.cluster.kubernetes.shared import competition_of, is_shared, needs
from orchestrator.cluster.kubernetes.watched import Watched, shared_by
from orchestrator.core.model import CompetitionFacts, Event, Experiment, Note, Role, Start, Task
from orchestrator.worker.tokens import mint

log = logging.getLogger("mlectl.controller")

TOKEN_LIFE = timedelta(days=90)
"""A Job may wait in its queue for weeks, and its workers show the token when they start."""
POLICY_SECONDS = 60.0
"""How long a NetworkPolicy that was just applied is taken to be there; then it is applied again before the next agent,
should somebody have deleted or changed it."""


class KubernetesCluster:
    """ExperimentRuns and Jobs of one API server. For any number of threads, one at a time for one experiment."""

    def __init__(
        self,
        api: Api,
        watched: Watched,
        settings: Settings,
        facts: Mapping[str, CompetitionFacts],
        *,
        installation: Callable[[], Object | None] = lambda: None,
    ) -> None:
        """`installation` refers to what prepare and grade Jobs go with: no experiment owns them."""
        self.api = api
        self.installation = installation
        self.watched = watched
        self.settings = settings
        self.facts = facts
        self.reader = ExperimentReader(settings.namespace, has_gateway=bool(settings.network.gateway))
        self._known = KnownTasks()
        self._policies: dict[str, float] = {}
        """When each experiment's policy was last applied, by uid."""
        self._policy_lock = threading.Lock()

    def experiment(self, key: Key) -> Experiment | None:
        """The ExperimentRun as it is now; SpecRefused if it can't be run as it is."""
        item = self.watched.experiment(key)
        return self.reader.read(item) if item is not None else None

    def tasks(self, experiment: Experiment) -> Sequence[Task]:
        return self._tasks(experiment.uid, self.watched.jobs_of(experiment.uid))

    def preparations(self, version: str, competitions: Collection[str]) -> Sequence[Task]:
        jobs = self.watched.jobs_of(shared_by(version))
        return self._tasks(shared_by(version), [job for job in jobs if competition_of(job) in competitions])

    def start(self, experiment: Experiment, task: Start) -> None:
        if task.role is Role.AGENT:
            self._apply_policy(experiment)
        job = self._job(experiment, task)
        if task.role is not Role.AGENT and (installation := self.installation()) is not None:
            job["metadata"]["ownerReferences"] = [installation]
        try:
            self.watched.jobs.observe(self.api.create(JOBS, job["metadata"]["namespace"], job))
        except AlreadyExists:
            return  # a reconcile before this one was cut short; its news is on the way
        log.info("started %s", task.name)

    def stop(self, experiment: Experiment, name: str, why: str) -> None:
        job = self._find(experiment, name)
        if job is None or is_told_to_stop(job):
            return
        if is_shared(job) and needs(job, self.experiments(), self.facts):
            return
        try:
            stopped = self.api.patch(JOBS, job["metadata"]["namespace"], name, stop_patch(job, why))
            self.watched.jobs.observe(stopped)
        except NotFound:
            return
        log.info("stopped %s: %s", name, why)
        # One that waits in a queue has no pod, so nobody will report that it has ended.
        self.watched.tell(Key(experiment.namespace, experiment.name))

    def note(self, experiment: Experiment, note: Note) -> None:
        """On the Job, which stays when its pod goes with a node."""
        job = self._find(experiment, note.name)
        if job is None or labels.ENDED in job["metadata"]["annotations"]:
            return
        change = {"metadata": {"uid": job["metadata"]["uid"], "annotations": {labels.ENDED: write_note(note)}}}
        with suppress(NotFound):
            self.watched.jobs.observe(self.api.patch(JOBS, job["metadata"]["namespace"], note.name, change))

    def remove(self, experiment: Experiment, name: str) -> None:
        job = self._find(experiment, name)
        if job is not None:
            self.delete(job)
            log.info("removed %s", name)

    def delete(self, job: Object) -> None:
        """This very Job, not another of its name; its pods go after it."""
        self.api.delete(JOBS, job["metadata"]["namespace"], job["metadata"]["name"], job["metadata"]["uid"])
        self.watched.jobs.forget(job)

    def experiments(self) -> Iterator[Experiment]:
        """All that are there and can be read."""
        for item in self.watched.experiments.list():
            with suppress(SpecRefused):
                yield self.reader.read(item)

    def write_status(self, experiment: Experiment, status: ExperimentRunStatus) -> None:
        """What differs from the status there, and only if nobody wrote another one since it was read (Conflict)."""
        item = self.watched.experiments.get(experiment.namespace, experiment.name)
        if item is None or item["metadata"]["uid"] != experiment.uid:
            return
        change = merge_patch(item.get("status") or {}, status.to_dict())
        if not change:
            return
        version = {"resourceVersion": item["metadata"]["resourceVersion"], "uid": experiment.uid}
        try:
            written = self.api.patch(
                EXPERIMENTS,
                experiment.namespace,
                experiment.name,
                {"metadata": version, "status": change},
                subresource="status",
            )
        except NotFound:
            return
        self.watched.experiments.observe(written)

    def record(self, experiment: Experiment, events: Sequence[Event]) -> None:
        tell(self.api, experiment, events)

    def forget_others(self, uids: set[str]) -> None:
        """Only these experiments are still there."""
        self.reader.forget_others(uids)
        for uid in self._policies.keys() - uids:
            self._policies.pop(uid, None)
        self._known.forget_others({job["metadata"]["uid"] for job in self.watched.jobs.list()})

    def _tasks(self, owner: str, jobs: Iterable[Object]) -> list[Task]:
        pods, now = self.watched.pods_of(owner), datetime.now(UTC)
        return [self._known.task_of(job, pods.get(_name(job), ()), now) for job in jobs]

    def _job(self, experiment: Experiment, task: Start) -> Object:
        match task.role:
            case Role.PREPARE:
                known = self.facts.get(task.competition)
                return prepare_job(task, self.settings, known.size_gb if known else 0.0)
            case Role.GRADE:
                return grade_job(experiment, task, self.settings)
            case Role.AGENT:
                return agent_job(experiment, task, self.settings, self._token(experiment, task))

    def _token(self, experiment: Experiment, task: Start) -> str:
        secret = self.settings.validation.secret_file.read_text().strip()
        return mint(ticket_of(experiment, task), secret, expires=datetime.now(UTC) + TOKEN_LIFE)

    def _apply_policy(self, experiment: Experiment) -> None:
        """Before the agent's Job: a pod that nothing holds back must not begin."""
        with self._policy_lock:  # the first of many starts applies it, the others wait for that
            if time.monotonic() - self._policies.get(experiment.uid, float("-inf")) < POLICY_SECONDS:
                return
            policy = network_policy(experiment, self.settings)
            self.api.patch(NETWORK_POLICIES, experiment.namespace, policy_name(experiment), policy, how="apply")
            self._policies[experiment.uid] = time.monotonic()

    def _find(self, experiment: Experiment, name: str) -> Object | None:
        """Agents' Jobs are in the experiment's namespace, the others beside the controller."""
        for namespace in (experiment.namespace, self.settings.namespace):
            if (job := self.watched.jobs.get(namespace, name)) is not None:
                return job
        return None


def _name(item: Object) -> tuple[str, str]:
    return item["metadata"]["namespace"], item["metadata"]["name"]
