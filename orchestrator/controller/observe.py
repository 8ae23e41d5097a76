"""Every read of a reconcile: the experiment's tasks first, then what the stores hold.

The order matters (see `core.model.Seen`): a task ends after it has written its last word. What never changes once it is
there (a manifest, an outcome, a report of a run) is read once and remembered; forgetting it costs a read and nothing
else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from orchestrator.controller.cluster import Cluster
from orchestrator.controller.stores import OpenStores
from orchestrator.core.model import AttemptKey, AttemptRecord, Experiment, GradedRun, Outcome, Role, RunKey, Seen, Task
from orchestrator.storage import layout
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.worker.record import read_clock, read_record

OUTCOME = TypeAdapter(Outcome)
ATTEMPT_KEY = re.compile(r"runs/(?P<competition>[^/]+)/seed-(?P<seed>\d+)/attempt-(?P<attempt>\d+)/")
REPORT_KEY = re.compile(r"reports/(?P<competition>[^/]+)/seed-(?P<seed>\d+)\.json$")


@dataclass
class Memory:
    """What was read of one experiment and stays true."""

    prepared: set[str] = field(default_factory=set)
    attempts: set[AttemptKey] | None = None
    """Attempts that left something in the store before this controller began; None: not looked yet."""
    outcomes: dict[AttemptKey, Outcome] = field(default_factory=dict)
    reports: dict[RunKey, GradedRun] = field(default_factory=dict)


class Observer:
    """Reads the world for a reconcile."""

    def __init__(self, cluster: Cluster, stores: OpenStores) -> None:
        self.cluster = cluster
        self.stores = stores
        self.memories: dict[str, Memory] = {}

    def observe(self, experiment: Experiment, competitions: Iterable[str]) -> Seen:
        tasks = tuple(self.cluster.tasks(experiment))
        keys = keys_of(experiment)
        memory = self.memories.setdefault(experiment.uid, Memory())
        attempts = self._attempts(keys, memory, tasks)
        self._remember_outcomes(keys, memory, attempts)
        self._remember_reports(keys, memory, attempts)
        open_attempts = attempts - memory.outcomes.keys()
        published = self.stores.runs.read(keys.report)
        return Seen(
            tasks=tasks,
            prepared=self._prepared(experiment, memory, competitions),
            records=self._records(keys, open_attempts),
            outcomes=dict(memory.outcomes),
            clocks=self._clocks(keys, open_attempts | resumable(memory.outcomes)),
            saved=frozenset(key for key in open_attempts if self.stores.runs.stat(attempt_keys(keys, key).code)),
            reports=dict(memory.reports),
            report_is_published=published is not None,
            published_digest=json.loads(published).get("results_digest") if published else None,
            report_url=f"{self.stores.runs.url}/{keys.report}" if published else None,
        )

    def forget(self, uid: str) -> None:
        self.memories.pop(uid, None)

    def _attempts(self, keys: ExperimentKeys, memory: Memory, tasks: Sequence[Task]) -> set[AttemptKey]:
        """Attempts known from the store at the start, and those whose tasks are there now."""
        if memory.attempts is None:
            names = (key.removeprefix(f"{keys.prefix}/") for key in self.stores.runs.keys(keys.runs))
            found = (ATTEMPT_KEY.match(name) for name in names)
            memory.attempts = {AttemptKey(m["competition"], int(m["seed"]), int(m["attempt"])) for m in found if m}
        memory.attempts |= {
            AttemptKey(task.competition, task.seed, task.attempt)
            for task in tasks
            if task.role is Role.AGENT and task.seed is not None
        }
        return memory.attempts

    def _remember_outcomes(self, keys: ExperimentKeys, memory: Memory, attempts: set[AttemptKey]) -> None:
        for key in attempts - memory.outcomes.keys():
            data = self.stores.runs.read(attempt_keys(keys, key).outcome)
            if data is not None:
                memory.outcomes[key] = OUTCOME.validate_json(data)

    def _remember_reports(self, keys: ExperimentKeys, memory: Memory, attempts: set[AttemptKey]) -> None:
        """Reports, once each, and again while a run's report is about an older attempt than its newest."""
        for key in attempts:
            if key.run in memory.reports and memory.reports[key.run].attempt < key.attempt:
                del memory.reports[key.run]
        for name in self.stores.runs.keys(keys.reports):
            match = REPORT_KEY.search(name)
            run = RunKey(match["competition"], int(match["seed"])) if match else None
            if run is None or run in memory.reports:
                continue
            data = self.stores.runs.read(name)
            if data is not None:
                memory.reports[run] = read_graded(data)

    def _prepared(self, experiment: Experiment, memory: Memory, competitions: Iterable[str]) -> frozenset[str]:
        version = experiment.spec.benchmark
        for competition in competitions:
            if competition not in memory.prepared and self._is_prepared(version, competition):
                memory.prepared.add(competition)
        return frozenset(memory.prepared)

    def _is_prepared(self, version: str, competition: str) -> bool:
        public = f"{layout.dataset_prefix(version, competition)}/{layout.MANIFEST}"
        private = f"{layout.answers_prefix(version, competition)}/{layout.MANIFEST}"
        return self.stores.public.stat(public) is not None and self.stores.private.stat(private) is not None

    def _records(self, keys: ExperimentKeys, attempts: set[AttemptKey]) -> dict[AttemptKey, AttemptRecord]:
        found = ((key, self.stores.runs.read(attempt_keys(keys, key).run)) for key in attempts)
        return {key: read_record(data) for key, data in found if data is not None}

    def _clocks(self, keys: ExperimentKeys, attempts: set[AttemptKey]) -> dict[AttemptKey, float]:
        found = ((key, self.stores.runs.read(attempt_keys(keys, key).clock)) for key in attempts)
        return {key: read_clock(data) for key, data in found if data is not None}


def keys_of(experiment: Experiment) -> ExperimentKeys:
    return ExperimentKeys(experiment.namespace, experiment.name, experiment.uid)


def attempt_keys(keys: ExperimentKeys, attempt: AttemptKey) -> layout.AttemptKeys:
    return keys.attempt(attempt.competition, attempt.seed, attempt.attempt)


def resumable(outcomes: Mapping[AttemptKey, Outcome]) -> set[AttemptKey]:
    """Attempts whose folders a later one gets back: a machine that was cut off may still move their clocks."""
    return {key._replace(attempt=outcome.saved) for key, outcome in outcomes.items() if outcome.saved is not None}


def read_graded(data: bytes) -> GradedRun:
    """What decisions need of a run's report."""
    report = json.loads(data)
    return GradedRun(
        attempt=report["attempt"],
        score=report["score"],
        medal=report["medal"],
        valid=report["valid_submission"],
        above_median=report["above_median"],
        reason=report["reason"],
        submitted=report["submission_exists"],
    )
