"""One reconcile over a real file store and a cluster that only remembers what it was told."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
import yaml

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun, ExperimentRunSpec, ExperimentRunStatus, Phase
from orchestrator.cluster.experiments import SpecRefused
from orchestrator.cluster.kubernetes.errors import Conflict, Forbidden
from orchestrator.controller.observe import Observer
from orchestrator.controller.reconcile import Reconciler
from orchestrator.controller.stores import OpenStores
from orchestrator.core.expand import expand
from orchestrator.core.model import (
    AttemptKey,
    CompetitionFacts,
    Ending,
    Event,
    Experiment,
    Outcome,
    Role,
    Start,
    Task,
    TaskPhase,
    Verdict,
)
from orchestrator.core.refused import JOBS_REFUSED
from orchestrator.storage import layout
from orchestrator.worker.orders import Stores

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = Key("default", "trial")
SPEC = {"competitions": {"ids": ["demo-wine"]}, "seeds": 1, "agent": {"name": "a", "image": "a:1"}}
FACTS = {"demo-wine": CompetitionFacts("demo-wine", frozenset({"demo"}), 0.0)}
KEYS = layout.ExperimentKeys("default", "trial", "0123456789")


@dataclass
class Recorder:
    """A cluster in which a task is what a test says it is."""

    started: dict[str, Start] = field(default_factory=dict)
    seen: list[Task] = field(default_factory=list)
    statuses: list[ExperimentRunStatus] = field(default_factory=list)
    told: list[Event] = field(default_factory=list)

    def experiment(self, key):
        status = self.statuses[-1] if self.statuses else ExperimentRunStatus()
        return Experiment(*KEYS_OF(key), 1, NOW, ExperimentRunSpec.model_validate(SPEC), status)

    def tasks(self, experiment):
        return list(self.seen)

    def preparations(self, version, competitions):
        return []

    def start(self, experiment, task):
        self.started[task.name] = task

    def stop(self, experiment, name, why): ...
    def note(self, experiment, note): ...
    def remove(self, experiment, name): ...

    def record(self, experiment, events):
        self.told += events

    def write_status(self, experiment, status):
        self.statuses.append(status)

    def only(self, role):
        (found,) = (task for task in self.started.values() if task.role is role)
        return found

    def ends(self, start, **how):
        self.seen.append(
            Task(start.name, start.role, start.competition, start.seed, start.attempt, created_at=NOW, **how)
        )


def KEYS_OF(key):  # noqa: N802 (stands beside KEYS)
    return key.namespace, key.name, KEYS.uid


@pytest.fixture
def stores(tmp_path):
    urls = {name: (tmp_path / name).as_uri() for name in ("public", "private", "runs")}
    found = OpenStores.of(Stores(**urls))
    run = ExperimentRun.model_validate({"metadata": {"name": "trial"}, "spec": SPEC})
    found.runs.write(KEYS.spec, yaml.safe_dump(run.to_dict()).encode())
    return found


@pytest.fixture
def cluster():
    return Recorder()


def prepared(stores):
    stores.public.write(f"{layout.dataset_prefix('v1', 'demo-wine')}/{layout.MANIFEST}", b"{}")
    stores.private.write(f"{layout.answers_prefix('v1', 'demo-wine')}/{layout.MANIFEST}", b"{}")


def collected(stores, attempt=1, **changes):
    record = {
        "exit_code": 0,
        "deadline_reached": False,
        "interrupted": False,
        "has_submission": True,
        "clock": {"consumed_seconds": 5.0},
        "out_of_memory": False,
    }
    stores.runs.write(KEYS.attempt("demo-wine", 0, attempt).run, json.dumps(record | changes).encode())


def graded(stores, attempt=1, score=0.5):
    report = {
        "competition_id": "demo-wine",
        "attempt": attempt,
        "seed": 0,
        "score": score,
        "medal": None,
        "valid": True,
        "valid_submission": True,
        "above_median": False,
        "submission_exists": True,
        "reason": None,
    }
    stores.runs.write(KEYS.run_report("demo-wine", 0), json.dumps(report).encode())


def test_a_dataset_is_prepared_before_an_agent_starts(cluster, stores):
    Reconciler(cluster, stores, FACTS).reconcile(KEY, NOW)
    assert [task.role for task in cluster.started.values()] == [Role.PREPARE]


def test_half_a_dataset_is_no_dataset(cluster, stores):
    stores.public.write(f"{layout.dataset_prefix('v1', 'demo-wine')}/{layout.MANIFEST}", b"{}")
    Reconciler(cluster, stores, FACTS).reconcile(KEY, NOW)
    assert [task.role for task in cluster.started.values()] == [Role.PREPARE]


def test_what_was_collected_is_judged_and_then_graded(cluster, stores):
    prepared(stores)
    reconciler = Reconciler(cluster, stores, FACTS)
    reconciler.reconcile(KEY, NOW)
    cluster.ends(cluster.only(Role.AGENT), phase=TaskPhase.SUCCEEDED, exit_code=0, finished_at=NOW)
    collected(stores)
    reconciler.reconcile(KEY, NOW)
    outcome = json.loads(stores.runs.read(KEYS.attempt("demo-wine", 0, 1).outcome))
    assert outcome["verdict"] == "grade"
    assert cluster.only(Role.GRADE).grades_attempt == 1


def test_a_controller_that_starts_anew_knows_what_the_store_knows(cluster, stores):
    """No task is left, and the one who judged is gone."""
    prepared(stores)
    collected(stores, interrupted=True)
    stores.runs.write(
        KEYS.attempt("demo-wine", 0, 1).outcome,
        json.dumps({"verdict": "retry", "reason": "NodeLost", "message": "", "consumed_seconds": 5.0}).encode(),
    )
    Reconciler(cluster, stores, FACTS).reconcile(KEY, NOW)
    assert cluster.only(Role.AGENT).attempt == 2


def test_a_judgement_that_contradicts_the_written_one_has_no_consequences(cluster, stores):
    prepared(stores)
    reconciler = Reconciler(cluster, stores, FACTS)
    reconciler.reconcile(KEY, NOW)
    agent = cluster.only(Role.AGENT)
    cluster.ends(agent, phase=TaskPhase.SUCCEEDED, exit_code=0, finished_at=NOW)
    collected(stores)
    key = KEYS.attempt("demo-wine", 0, 1).outcome
    observe = reconciler.observer.observe

    def observe_just_before_another_judges(experiment, asked):
        seen = observe(experiment, asked)
        stores.runs.write(key, json.dumps({"verdict": "retry", "reason": "NodeLost", "message": ""}).encode())
        return seen

    reconciler.observer.observe = observe_just_before_another_judges
    step = reconciler.reconcile(KEY, NOW)
    assert step.requeue_after is not None
    assert Role.GRADE not in {task.role for task in cluster.started.values()}

    reconciler.observer.observe = observe
    reconciler.reconcile(KEY, NOW)
    assert [task.attempt for task in cluster.started.values() if task.role is Role.AGENT] == [1]
    assert cluster.statuses[-1].phase is Phase.RUNNING


def test_a_job_that_is_refused_is_told_in_a_current_status_and_tried_again_later(cluster, stores):
    def refuse(experiment, task):
        raise Forbidden(403, "Forbidden", 'jobs.batch "agent-1" is forbidden: exceeded quota: few')

    prepared(stores)
    cluster.start = refuse
    steps = []
    reconciler = Reconciler(cluster, stores, FACTS, on_step=lambda experiment, seen, plan: steps.append(plan))
    with pytest.raises(Forbidden):  # so that whoever called waits longer each time
        reconciler.reconcile(KEY, NOW)
    (status,) = cluster.statuses
    progressing = next(one for one in status.conditions if one.type == "Progressing")
    assert (progressing.status, progressing.reason) == ("True", JOBS_REFUSED)
    assert progressing.message.startswith('1 run: 1 queued. 1 Job was refused: jobs.batch "agent-1" is forbidden: exc')
    assert [event.reason for event in cluster.told] == ["FailedCreate"]
    assert [plan.status for plan in steps] == [status]


def test_how_an_attempt_ended_is_told_although_the_status_can_not_be_written(cluster, stores):
    prepared(stores)
    reconciler = Reconciler(cluster, stores, FACTS)
    reconciler.reconcile(KEY, NOW)
    cluster.ends(cluster.only(Role.AGENT), phase=TaskPhase.FAILED, ending=Ending.NODE_LOST, finished_at=NOW)
    write, cluster.told[:] = cluster.write_status, []

    def conflict(experiment, status):
        raise Conflict(409, "Conflict", "somebody else was quicker")

    cluster.write_status = conflict
    with pytest.raises(Conflict):
        reconciler.reconcile(KEY, NOW)
    assert [event.reason for event in cluster.told] == ["NodeLost"]
    cluster.write_status = write
    reconciler.reconcile(KEY, NOW)
    assert [event.reason for event in cluster.told] == ["NodeLost", "Running"], "the status brings what is its own"


def test_a_report_of_an_older_attempt_is_read_again(cluster, stores):
    prepared(stores)
    observer = Observer(cluster, stores)
    experiment = cluster.experiment(KEY)
    collected(stores)
    graded(stores, attempt=1, score=0.5)
    assert observer.observe(experiment, expand(experiment.spec, FACTS)).reports[("demo-wine", 0)].score == 0.5
    second = Start("agent-2", Role.AGENT, "demo-wine", seed=0, attempt=2)
    cluster.ends(second, phase=TaskPhase.SUCCEEDED)
    observer.observe(experiment, expand(experiment.spec, FACTS))
    observer.judged(experiment, AttemptKey("demo-wine", 0, 2), Outcome(Verdict.GRADE))
    cluster.ends(Start("grade-2", Role.GRADE, "demo-wine", seed=0), phase=TaskPhase.SUCCEEDED)
    graded(stores, attempt=2, score=0.25)
    assert observer.observe(experiment, expand(experiment.spec, FACTS)).reports[("demo-wine", 0)].score == 0.25


def test_no_such_experiment_is_no_trouble(cluster, stores):
    cluster.experiment = lambda key: None
    assert Reconciler(cluster, stores, FACTS).reconcile(KEY, NOW) is None


def test_a_spec_that_cannot_be_read_gets_a_status_that_says_why(cluster, stores):
    def refuse(key):
        raise SpecRefused(replace(found, spec=ExperimentRunSpec.model_construct()), ["spec.seeds: write at least 1."])

    found = cluster.experiment(KEY)
    cluster.experiment = refuse
    step = Reconciler(cluster, stores, FACTS).reconcile(KEY, NOW)
    assert step.requeue_after is None
    (status,) = cluster.statuses
    complete = next(one for one in status.conditions if one.type == "Complete")
    assert (status.phase, complete.reason, complete.message) == (
        Phase.FAILED,
        "SpecRefused",
        "spec.seeds: write at least 1.",
    )
    assert cluster.started == {}


def test_the_spec_lies_beside_the_results_from_the_first_step_on(cluster, stores):
    stores.runs.delete(KEYS.spec)
    Reconciler(cluster, stores, FACTS).reconcile(KEY, NOW)
    written = ExperimentRun.model_validate(yaml.safe_load(stores.runs.read(KEYS.spec)))
    assert written.spec == ExperimentRunSpec.model_validate(SPEC)
    assert written.metadata.uid == KEYS.uid
