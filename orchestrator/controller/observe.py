"""Every read of a reconcile: the experiment's tasks first, then what the stores hold.

The order matters (see `core.model.Seen`): a task ends after it has written its last word. What never changes once it is
there (a manifest, an outcome, a report of an attempt) is read once and remembered. What does change is looked at when
it can have changed (`looks.py`), so that a reconcile costs as much as has happened and not as much as the experiment
is large.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from pydantic import TypeAdapter

from orchestrator.controller.cluster import Cluster
from orchestrator.controller.looks import SILENT_SECONDS, Going, going, mark_of, may_have_ended
from orchestrator.controller.memory import ClockSeen, Memory, Published
from orchestrator.controller.notes import are_worth_writing, read_notes, settled, write_notes
from orchestrator.controller.reading import at_once, present, read_all
from orchestrator.controller.stores import OpenStores
from orchestrator.core.expand import Expansion
from orchestrator.core.model import (
    AttemptKey,
    Experiment,
    GradedRun,
    Outcome,
    Role,
    RunKey,
    Seen,
    Task,
    TaskPhase,
    Verdict,
)
from orchestrator.storage import layout
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.open import url_of
from orchestrator.storage.store import Store
from orchestrator.worker.headway import read_headway
from orchestrator.worker.record import read_record
from orchestrator.worker.rules_ahead import read_refused

HEADWAY_SECONDS = 20.0
"""How long a look at how far a preparation is stays good."""

OUTCOME = TypeAdapter(Outcome)
ATTEMPT_KEY = re.compile(r"runs/(?P<competition>[^/]+)/seed-(?P<seed>\d+)/attempt-(?P<attempt>\d+)/")
REPORT_KEY = re.compile(r"reports/(?P<competition>[^/]+)/seed-(?P<seed>\d+)\.json$")


class Observer:
    """Reads the world for a reconcile. One thread at a time for one experiment."""

    def __init__(self, cluster: Cluster, stores: OpenStores, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.cluster = cluster
        self.stores = stores
        self.clock = clock
        self.memories: dict[str, Memory] = {}
        self.doubted: set[str] = set()
        """Experiments whose notes are not believed: another controller has been at work on them."""

    def observe(self, experiment: Experiment, asked: Expansion) -> Seen:
        version, tasks = experiment.spec.benchmark, self.tasks(experiment, asked)
        memory = self.memories.get(experiment.uid) or first_look(
            self.stores, experiment, asked.runs, tasks, believe_notes=experiment.uid not in self.doubted
        )
        look = Look(self.stores, keys_of(experiment), memory, tasks, self.clock())
        look.at_attempts()
        look.at_clocks_of_saved()
        look.at_reports()
        look.at_datasets(version, asked.competitions)
        look.at_headway(version)
        look.at_rules(asked.competitions)
        look.at_publication()
        self.memories[experiment.uid] = memory  # only now: a first look that failed is taken again, whole
        published = memory.published
        return Seen(
            tasks=tasks,
            prepared=frozenset(memory.prepared),
            headway=dict(memory.headway),
            refused=memory.refused,
            records=dict(memory.records),
            outcomes=dict(memory.outcomes),
            clocks={key: clock.consumed_seconds for key, clock in memory.clocks.items()},
            heard=dict(memory.heard),
            saved=frozenset(memory.saved),
            reports=dict(memory.reports),
            report_is_published=published is not None,
            published_digest=published.digest if published else None,
            report_url=published.url if published else None,
        )

    def tasks(self, experiment: Experiment, asked: Expansion) -> tuple[Task, ...]:
        """The experiment's own, and those that prepare its datasets, for whomever that began."""
        shared = self.cluster.preparations(experiment.spec.benchmark, frozenset(asked.competitions))
        return (*self.cluster.tasks(experiment), *shared)

    def remembers(self, uid: str) -> bool:
        """Whether the experiment was seen before."""
        return uid in self.memories

    def judged(self, experiment: Experiment, key: AttemptKey, outcome: Outcome) -> None:
        """This controller has written the outcome."""
        if (memory := self.memories.get(experiment.uid)) is not None:
            memory.judged(key, outcome, self.clock())

    def published(self, experiment: Experiment) -> None:
        """This controller has written the experiment's report."""
        if (memory := self.memories.get(experiment.uid)) is not None:
            memory.is_published_known = False

    def take_notes(self, experiment: Experiment, *, is_finished: bool) -> None:
        """Write down what is known, if that is worth it, for the controller after this one."""
        memory = self.memories.get(experiment.uid)
        if memory is not None and are_worth_writing(memory, is_finished=is_finished):
            self.stores.runs.write(keys_of(experiment).notes, write_notes(memory))
            memory.noted = memory.facts

    def doubt(self, uid: str) -> None:
        """Begin anew with what the store says, and with all of it."""
        self.doubted.add(uid)
        self.memories.pop(uid, None)

    def forget_others(self, uids: Collection[str]) -> None:
        """Only these experiments are still there."""
        for uid in self.memories.keys() - set(uids):
            self.memories.pop(uid, None)
        self.doubted &= set(uids)

    def forget_all(self) -> None:
        """Another controller has led meanwhile."""
        self.memories.clear()


def first_look(
    stores: OpenStores, experiment: Experiment, runs: Iterable[RunKey], tasks: Iterable[Task], *, believe_notes: bool
) -> Memory:
    """What is in the store when this controller begins: the notes, then all of the runs that they do not settle.

    Listings say what there is, so that nothing is asked for that is not there.
    """
    keys = keys_of(experiment)
    memory = read_notes(stores.runs.read(keys.notes) if believe_notes else None)
    memory.noted = memory.facts
    newer = {key.run for key in agent_tasks(tasks) if key not in memory.attempts}
    known = settled(memory) - experiment.retry_after.keys() - newer
    if known:
        names = list_runs(stores.runs, keys, [run for run in runs if run not in known])
    else:
        names = [*stores.runs.keys(keys.runs), *stores.runs.keys(keys.reports)]
    judged: dict[str, AttemptKey] = {}
    reported: dict[str, RunKey] = {}
    for name in names:
        if match := ATTEMPT_KEY.search(name):
            key = AttemptKey(match["competition"], int(match["seed"]), int(match["attempt"]))
            memory.attempts.add(key)
            if name == attempt_keys(keys, key).outcome:
                judged[name] = key
        elif match := REPORT_KEY.search(name):
            reported[name] = RunKey(match["competition"], int(match["seed"]))
    for name, data in read_all(stores.runs, judged).items():
        memory.outcomes[judged[name]] = OUTCOME.validate_json(data)
    for name, data in read_all(stores.runs, reported).items():
        memory.reports[reported[name]] = read_graded(data)
    return memory


def list_runs(store: Store, keys: ExperimentKeys, runs: Sequence[RunKey]) -> list[str]:
    """The keys of these runs' attempts, each run listed by itself, and those where their reports would be."""
    found = at_once(store, lambda run: list(store.keys(keys.run(*run))), runs)
    return [*(name for names in found for name in names), *(keys.run_report(*run) for run in runs)]


@dataclass(frozen=True)
class Look:
    """One look into the stores for what can have changed, given the tasks as they were just before."""

    stores: OpenStores
    keys: ExperimentKeys
    memory: Memory
    tasks: tuple[Task, ...]
    now: float

    def at_attempts(self) -> None:
        """Clocks of those that go on; everything of those that may have ended. Before all the others."""
        memory, tasks = self.memory, agent_tasks(self.tasks)
        memory.attempts |= tasks.keys()
        due = [key for key in memory.open_attempts if memory.looks.is_due_for(tasks.get(key), key, self.now)]
        ended = [key for key in due if may_have_ended(tasks.get(key))]
        found = read_all(
            self.stores.runs, [*(self._of(key).clock for key in due), *(self._of(key).run for key in ended)]
        )
        saved = present(self.stores.runs, [self._of(key).code for key in ended])
        for key in due:
            if (clock := found.get(self._of(key).clock)) is not None:
                memory.saw_clock(key, ClockSeen.read(clock), datetime.now(UTC))
            if (record := found.get(self._of(key).run)) is not None:
                memory.records[key] = read_record(record)
            if self._of(key).code in saved:
                memory.saved.add(key)
            memory.looks.note(key, mark_of(tasks.get(key)), self.now)

    def at_clocks_of_saved(self) -> None:
        """Of attempts whose folders the next one would get back: a machine that is cut off may still move them."""
        memory = self.memory
        waiting = [
            run.attempt(outcome.saved)
            for run, number in self._newest.items()
            if (outcome := memory.outcomes.get(run.attempt(number))) is not None
            and outcome.saved is not None
            and outcome.verdict is not Verdict.GRADE
        ]
        due = [key for key in waiting if memory.looks.are_older(("saved", key), SILENT_SECONDS, self.now)]
        found = read_all(self.stores.runs, [self._of(key).clock for key in due])
        for key in due:
            if (clock := found.get(self._of(key).clock)) is not None:
                memory.clocks[key] = ClockSeen.read(clock)
            memory.looks.note(("saved", key), None, self.now)

    def at_reports(self) -> None:
        """Of runs that wait for theirs, once a task that grades them has ended."""
        memory, tasks = self.memory, self._by_run(Role.GRADE)
        due = {
            run: self.keys.run_report(*run)
            for run, number in self._newest.items()
            if self._waits_for_report(run, number) and memory.looks.is_due_after(tasks[run], ("report", run), self.now)
        }
        found = read_all(self.stores.runs, due.values())
        for run, name in due.items():
            if name in found:
                memory.reports[run] = read_graded(found[name])
            memory.looks.note(("report", run), tasks[run], self.now)

    def at_datasets(self, version: str, competitions: Iterable[str]) -> None:
        """Of competitions that are not prepared, once a task that prepares them has ended."""
        memory, tasks = self.memory, self._by_run(Role.PREPARE)
        due = [
            one
            for one in competitions
            if one not in memory.prepared
            and memory.looks.is_due_after(tasks[RunKey(one, NO_SEED)], ("dataset", one), self.now)
        ]
        public = {one: f"{layout.dataset_prefix(version, one)}/{layout.MANIFEST}" for one in due}
        private = {one: f"{layout.answers_prefix(version, one)}/{layout.MANIFEST}" for one in due}
        datasets = present(self.stores.public, public.values())
        answers = present(self.stores.private, [private[one] for one in due if public[one] in datasets])
        memory.prepared |= {one for one in due if private[one] in answers}
        for one in due:
            memory.looks.note(("dataset", one), tasks[RunKey(one, NO_SEED)], self.now)

    def at_headway(self, version: str) -> None:
        """Of datasets that are being prepared, now and then; of the others nothing is kept."""
        memory = self.memory
        going_on = {
            task.competition for task in self.tasks if task.role is Role.PREPARE and task.phase is TaskPhase.RUNNING
        }
        for gone in memory.headway.keys() - going_on:
            memory.headway.pop(gone)
        due = [one for one in going_on if memory.looks.are_older(("headway", one), HEADWAY_SECONDS, self.now)]
        keys = {one: layout.headway(version, one) for one in due}
        found = read_all(self.stores.public, keys.values())
        for one, key in keys.items():
            if (headway := read_headway(found.get(key))) is not None:
                memory.headway[one] = headway
            memory.looks.note(("headway", one), None, self.now)

    def at_rules(self, competitions: Iterable[str]) -> None:
        """Of datasets that wait to be prepared, now and then."""
        memory = self.memory
        if memory.prepared.issuperset(competitions):
            memory.refused = {}
        elif memory.looks.are_older(("rules",), HEADWAY_SECONDS, self.now):
            memory.refused = read_refused(self.stores.public.read(layout.RULES))
            memory.looks.note(("rules",), None, self.now)

    def at_publication(self) -> None:
        """Of the experiment's report, at the start and after it was written."""
        memory = self.memory
        if memory.is_published_known:
            return
        data = self.stores.runs.read(self.keys.report)
        url = url_of(self.stores.runs.url, self.keys.report)
        memory.published = None if data is None else Published(json.loads(data).get("results_digest"), url)
        memory.is_published_known = True

    @cached_property
    def _newest(self) -> Mapping[RunKey, int]:
        return self.memory.newest()

    def _of(self, key: AttemptKey) -> layout.AttemptKeys:
        return attempt_keys(self.keys, key)

    def _waits_for_report(self, run: RunKey, number: int) -> bool:
        outcome, report = self.memory.outcomes.get(run.attempt(number)), self.memory.reports.get(run)
        if outcome is None or outcome.verdict is not Verdict.GRADE:
            return False
        return report is None or report.attempt != number

    def _by_run(self, role: Role) -> Mapping[RunKey, Going]:
        """The tasks of a role by what they belong to."""
        found: dict[RunKey, list[Task]] = defaultdict(list)
        for task in self.tasks:
            if task.role is role:
                found[RunKey(task.competition, NO_SEED if task.seed is None else task.seed)].append(task)
        return defaultdict(frozenset, {run: going(tasks) for run, tasks in found.items()})


def agent_tasks(tasks: Iterable[Task]) -> dict[AttemptKey, Task]:
    return {
        AttemptKey(task.competition, task.seed, task.attempt): task
        for task in tasks
        if task.role is Role.AGENT and task.seed is not None
    }


NO_SEED = -1
"""Of tasks that belong to a competition and to no run of it."""


def keys_of(experiment: Experiment) -> ExperimentKeys:
    return ExperimentKeys(experiment.namespace, experiment.name, experiment.uid)


def attempt_keys(keys: ExperimentKeys, attempt: AttemptKey) -> layout.AttemptKeys:
    return keys.attempt(attempt.competition, attempt.seed, attempt.attempt)


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
        medals_over_time=tuple((row["minutes"], row["medal"]) for row in report.get("snapshots", ())),
    )
