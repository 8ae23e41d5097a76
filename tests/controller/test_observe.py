"""What a reconcile reads, and above all what it does not."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus
from orchestrator.controller.observe import OUTCOME, Observer
from orchestrator.controller.stores import OpenStores
from orchestrator.core.expand import expand
from orchestrator.core.model import (
    AttemptKey,
    CompetitionFacts,
    Experiment,
    Headway,
    Outcome,
    Role,
    RunKey,
    Task,
    TaskPhase,
    Verdict,
)
from orchestrator.storage import layout
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.store import StoreError
from tests.controller.counting import CountingStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPEC = {"competitions": {"ids": ["birds"]}, "seeds": 2, "agent": {"name": "a", "image": "a:1"}}
EXPERIMENT = Experiment(
    "default", "trial", "0123456789", 1, NOW, ExperimentRunSpec.model_validate(SPEC), ExperimentRunStatus()
)
FACTS = {"birds": CompetitionFacts("birds", frozenset(), 0.0)}
KEYS = layout.ExperimentKeys("default", "trial", EXPERIMENT.uid)
FIRST = AttemptKey("birds", 0, 1)
AGENT = Task("agent-1", Role.AGENT, "birds", 0, 1, TaskPhase.RUNNING, NOW)
GRADE = Task("grade-1", Role.GRADE, "birds", 0, 1, TaskPhase.RUNNING, NOW)
PREPARE = Task("prepare-1", Role.PREPARE, "birds", None, 1, TaskPhase.RUNNING, NOW)
REPORT = {
    "attempt": 1,
    "score": 0.5,
    "medal": None,
    "valid_submission": True,
    "above_median": False,
    "reason": None,
    "submission_exists": True,
}
RECORD = {
    "exit_code": 0,
    "deadline_reached": False,
    "interrupted": False,
    "has_submission": True,
    "clock": {"consumed_seconds": 5.0},
    "out_of_memory": False,
}


@dataclass
class World:
    """An observer of tasks that a test sets, over a store that counts."""

    runs: CountingStore
    public: CountingStore
    observer: Observer
    tasks_now: list[Task] = field(default_factory=list)
    now: float = 1000.0

    def tasks(self, experiment):
        return [task for task in self.tasks_now if task.role is not Role.PREPARE]

    def preparations(self, version, competitions):
        return [task for task in self.tasks_now if task.role is Role.PREPARE and task.competition in competitions]

    def look(self, *tasks, after=0.0):
        self.tasks_now, self.now = list(tasks), self.now + after
        return self.observer.observe(EXPERIMENT, expand(EXPERIMENT.spec, FACTS))

    def leave(self, name, content, key=FIRST):
        self.runs.store.write(f"{KEYS.attempt(*key).prefix}/{name}", json.dumps(content).encode())

    def judge(self, outcome, key=FIRST):
        self.observer.judged(EXPERIMENT, key, outcome)


@pytest.fixture
def world(tmp_path):
    runs, public = CountingStore(FileStore(tmp_path / "runs")), CountingStore(FileStore(tmp_path / "public"))
    stores = OpenStores(public, FileStore(tmp_path / "private"), runs)
    world = World(runs, public, Observer(None, stores))
    world.observer.cluster, world.observer.clock = world, lambda: world.now
    for store, prefix in ((public.store, "datasets"), (stores.private, "answers")):
        store.write(f"{prefix}/v1/birds/manifest.json", b"{}")
    return world


def test_looking_again_at_once_asks_the_store_nothing(world):
    world.leave("clock.json", {"consumed_seconds": 1.0})
    first = world.look(AGENT)
    world.runs.take(), world.public.take()
    assert world.look(AGENT) == first
    assert world.runs.take() == world.public.take() == {}


def test_of_an_agent_that_runs_only_the_clock_is_read_and_that_now_and_then(world):
    world.look(AGENT)
    world.runs.take()
    world.leave("clock.json", {"consumed_seconds": 7.0})
    assert world.look(AGENT, after=59.0).clocks == {}
    assert world.runs.take() == {}
    assert world.look(AGENT, after=2.0).clocks == {FIRST: 7.0}
    assert world.runs.take() == {"read clock.json": 1}


@pytest.mark.parametrize("phase", [TaskPhase.QUEUED, TaskPhase.STAGING])
def test_of_an_attempt_that_has_not_begun_nothing_is_read(world, phase):
    world.look()
    world.runs.take()
    world.look(replace(AGENT, phase=phase))
    assert world.runs.take() == {}


def test_words_about_a_task_are_no_reason_to_look(world):
    world.look(AGENT)
    world.runs.take()
    world.look(replace(AGENT, message="no node has room", node="n"))
    assert world.runs.take() == {}


@pytest.mark.parametrize(
    "ended",
    [
        pytest.param(replace(AGENT, phase=TaskPhase.SUCCEEDED), id="it ended"),
        pytest.param(replace(AGENT, phase=TaskPhase.COLLECTING), id="it collects"),
        pytest.param(replace(AGENT, unreachable_since=NOW), id="its node is silent"),
        pytest.param(replace(AGENT, phase=TaskPhase.QUEUED, requeued=True), id="its queue took it back"),
        pytest.param(None, id="its task is gone"),
    ],
)
def test_everything_is_read_of_an_attempt_that_may_be_judged(world, ended):
    world.look(AGENT)
    world.leave("clock.json", {"consumed_seconds": 5.0})
    world.leave("run.json", RECORD)
    world.leave("code.tar", "x")
    seen = world.look(*([ended] if ended else []))
    assert (seen.clocks[FIRST], seen.records[FIRST].has_submission, seen.saved) == (5.0, True, {FIRST})


def test_a_silent_node_is_asked_about_again_soon(world):
    silent = replace(AGENT, unreachable_since=NOW)
    world.leave("clock.json", {"consumed_seconds": 5.0})
    world.look(silent)
    world.leave("clock.json", {"consumed_seconds": 9.0})
    assert world.look(silent, after=6.0).clocks == {FIRST: 9.0}


def test_a_clock_that_moves_is_heard_of_when_it_is_read_whatever_its_machine_takes_the_time_to_be(world):
    silent, began = replace(AGENT, unreachable_since=NOW), datetime.now(UTC)
    world.leave("clock.json", {"consumed_seconds": 5.0, "written_at": NOW.isoformat()})
    assert world.look(silent).heard == {FIRST: NOW}, "of the first nothing but its own word is known"
    assert world.look(silent, after=6.0).heard == {FIRST: NOW}, "it has not moved"
    world.leave("clock.json", {"consumed_seconds": 5.0, "written_at": (NOW + timedelta(days=1)).isoformat()})
    heard = world.look(silent, after=6.0).heard
    assert began <= heard[FIRST] <= datetime.now(UTC)
    assert world.look(silent, after=6.0).heard == heard
    world.judge(Outcome(Verdict.FAIL))
    assert world.look(silent).heard == {}


def test_an_attempt_that_was_given_up_is_not_heard_of_any_more(world):
    """It would hold a place among the agents again. Its clock counts, for the attempt that goes on from there."""
    silent = replace(AGENT, unreachable_since=NOW)
    world.look(silent)
    world.judge(Outcome(Verdict.RETRY, "NodeLost", saved=1))
    for seconds in (5.0, 6.0):
        world.leave("clock.json", {"consumed_seconds": seconds, "written_at": f"2026-01-01T00:00:0{seconds:g}+00:00"})
        seen = world.look(silent, after=6.0)
        assert (seen.clocks, seen.heard) == ({FIRST: seconds}, {})


def test_a_clock_of_the_future_is_not_believed(world):
    world.leave("clock.json", {"consumed_seconds": 5.0, "written_at": "2999-01-01T00:00:00+00:00"})
    assert world.look(AGENT).heard[FIRST] <= datetime.now(UTC)


def test_of_an_attempt_that_was_judged_nothing_more_is_read(world):
    world.leave("run.json", RECORD)
    done = replace(AGENT, phase=TaskPhase.SUCCEEDED)
    world.look(done)
    world.judge(Outcome(Verdict.FAIL))
    world.runs.take()
    seen = world.look(done, after=1000.0)
    assert (seen.outcomes, seen.records) == ({FIRST: Outcome(Verdict.FAIL)}, {})
    assert world.runs.take() == {}


def report_is_there(world):
    world.runs.store.write(KEYS.run_report("birds", 0), json.dumps(REPORT).encode())


@pytest.mark.parametrize(
    "then",
    [
        pytest.param([[GRADE], [replace(GRADE, phase=TaskPhase.SUCCEEDED)]], id="a grader ended"),
        pytest.param([[replace(GRADE, phase=TaskPhase.SUCCEEDED)]], id="a grader came and ended unseen"),
        pytest.param([[GRADE], []], id="a grader vanished"),
        pytest.param([[GRADE], [replace(GRADE, phase=TaskPhase.FAILED)]], id="a grader failed after its last word"),
        pytest.param([[GRADE], [replace(GRADE, unreachable_since=NOW)]], id="a grader's node is silent"),
    ],
)
def test_a_report_is_read_once_a_grader_may_have_written_it(world, then):
    world.look(AGENT)
    world.judge(Outcome(Verdict.GRADE))
    world.runs.take()
    *before, after = then
    for tasks in before:
        world.look(*tasks, after=1.0)
    assert world.runs.take() == {}
    report_is_there(world)
    assert world.look(*after, after=1.0).reports[RunKey("birds", 0)].score == 0.5


@pytest.mark.parametrize(
    "then",
    [
        pytest.param([replace(GRADE, phase=TaskPhase.SUCCEEDED)], id="it is heard of again when it has ended"),
        pytest.param([], id="its Job is gone"),
    ],
)
def test_a_report_that_came_from_a_silent_node_is_read_when_its_grader_is_known_to_have_ended(world, then):
    world.look(AGENT)
    world.judge(Outcome(Verdict.GRADE))
    world.look(replace(GRADE, unreachable_since=NOW))
    report_is_there(world)
    assert world.look(*then, after=1.0).reports[RunKey("birds", 0)].score == 0.5


def test_a_report_is_looked_for_now_and_then_whatever_the_tasks_say(world):
    world.look(AGENT)
    world.judge(Outcome(Verdict.GRADE))
    world.look(GRADE)
    report_is_there(world)
    assert world.look(GRADE, after=30.0).reports == {}
    assert world.look(GRADE, after=31.0).reports != {}


def test_a_dataset_is_looked_for_when_its_preparer_has_ended(world):
    world.public.store.delete("datasets/v1/birds/manifest.json")
    assert world.look(PREPARE).prepared == set()
    world.public.take()
    assert world.look(PREPARE, after=1.0).prepared == set()
    assert world.public.take() == {}
    world.public.store.write("datasets/v1/birds/manifest.json", b"{}")
    assert world.look(replace(PREPARE, phase=TaskPhase.SUCCEEDED), after=1.0).prepared == {"birds"}


def test_how_far_a_preparation_is_is_read_now_and_then_while_it_runs(world):
    world.public.store.delete("datasets/v1/birds/manifest.json")
    told = "preparing/v1/birds.json"
    world.public.store.write(told, b'{"step": "download", "done_bytes": 3, "total_bytes": 7}')
    assert world.look(replace(PREPARE, phase=TaskPhase.QUEUED)).headway == {}
    assert world.look(PREPARE, after=1.0).headway == {"birds": Headway("download", 3, 7)}
    world.public.store.write(told, b"not what this version writes")
    assert world.look(PREPARE, after=19.0).headway == {"birds": Headway("download", 3, 7)}
    world.public.store.write(told, b'{"step": "pack"}')
    assert world.look(PREPARE, after=1.0).headway == {"birds": Headway("pack")}
    assert world.look(replace(PREPARE, phase=TaskPhase.FAILED), after=1.0).headway == {}


def test_rules_that_nobody_accepted_are_looked_at_now_and_then_while_datasets_are_missing(world):
    world.public.store.delete("datasets/v1/birds/manifest.json")
    world.public.store.write(layout.RULES, b'{"birds": "Not yet."}')
    assert world.look().refused == {"birds": "Not yet."}
    world.public.store.write(layout.RULES, b"{}")
    assert world.look(after=19.0).refused == {"birds": "Not yet."}
    assert world.look(after=1.0).refused == {}


def test_the_clock_of_folders_that_come_back_is_read_again_before_an_attempt_goes_on_with_them(world):
    """The machine that was cut off works on, and moves it."""
    world.leave("clock.json", {"consumed_seconds": 5.0})
    world.look(replace(AGENT, phase=TaskPhase.FAILED))
    world.judge(Outcome(Verdict.RETRY, saved=1))
    assert world.look().clocks == {FIRST: 5.0}
    world.leave("clock.json", {"consumed_seconds": 20.0})
    assert world.look(after=6.0).clocks == {FIRST: 20.0}


def test_an_outage_loses_nothing(world):
    world.look(AGENT)
    world.leave("run.json", RECORD)
    world.runs.is_away = True
    done = replace(AGENT, phase=TaskPhase.SUCCEEDED)
    for _ in range(2):
        with pytest.raises(StoreError):
            world.look(done)
    world.runs.is_away = False
    assert FIRST in world.look(done).records


def test_an_outage_during_the_first_look_loses_nothing(world):
    world.leave("outcome.json", json.loads(OUTCOME.dump_json(Outcome(Verdict.GRADE))))
    report_is_there(world)
    world.runs.is_away = True
    with pytest.raises(StoreError):
        world.look()
    world.runs.is_away = False
    seen = world.look()
    assert (len(seen.outcomes), len(seen.reports)) == (1, 1)


def test_the_first_look_reads_what_is_there_and_asks_for_nothing_else(world):
    for number in range(50):
        key = AttemptKey("birds", number, 1)
        world.leave("outcome.json", json.loads(OUTCOME.dump_json(Outcome(Verdict.GRADE))), key)
        world.leave("clock.json", {"consumed_seconds": 5.0}, key)
        world.runs.store.write(KEYS.run_report("birds", number), json.dumps(REPORT).encode())
    seen = world.look()
    assert (len(seen.outcomes), len(seen.reports)) == (50, 50)
    asked = world.runs.take()
    assert asked.pop("read outcome.json") == 50
    assert sum(count for name, count in asked.items() if name.startswith("read seed-")) == 50
    assert {name for name in asked if not name.startswith("read seed-")} == {
        "read notes.json",
        "keys runs",
        "keys reports",
        "read report.json",
    }


def graded_runs(world):
    """Both runs judged and graded, and the notes written as a controller does at the end."""
    outcome = json.loads(OUTCOME.dump_json(Outcome(Verdict.GRADE)))
    for seed in (0, 1):
        world.leave("outcome.json", outcome, AttemptKey("birds", seed, 1))
        world.runs.store.write(KEYS.run_report("birds", seed), json.dumps(REPORT).encode())
    seen = world.look()
    world.observer.take_notes(EXPERIMENT, is_finished=True)
    world.observer.forget_all()
    world.runs.take()
    return seen


def test_with_notes_the_first_look_reads_them_and_nothing_of_settled_runs(world):
    before = graded_runs(world)
    seen = world.look()
    assert (seen.outcomes, seen.reports) == (before.outcomes, before.reports)
    assert world.runs.take() == {"read notes.json": 1, "read report.json": 1}


def test_of_runs_that_the_notes_do_not_settle_everything_is_read(world):
    world.leave("outcome.json", json.loads(OUTCOME.dump_json(Outcome(Verdict.GRADE))))
    report_is_there(world)
    world.look()
    world.observer.take_notes(EXPERIMENT, is_finished=True)
    world.observer.forget_all()
    later = AttemptKey("birds", 1, 1)
    world.leave("outcome.json", json.loads(OUTCOME.dump_json(Outcome(Verdict.RETRY, "NodeLost"))), later)
    world.leave("run.json", RECORD, AttemptKey("birds", 1, 2))
    seen = world.look()
    assert seen.outcomes.keys() == {FIRST, later}
    assert seen.records.keys() == {AttemptKey("birds", 1, 2)}


@pytest.mark.parametrize(
    "wishes, tasks",
    [
        pytest.param({RunKey("birds", 0): 1}, [], id="somebody asked for it"),
        pytest.param({}, [replace(AGENT, attempt=2, phase=TaskPhase.FAILED)], id="there is a task"),
    ],
)
def test_a_later_attempt_of_a_settled_run_is_found(world, wishes, tasks):
    graded_runs(world)
    second = AttemptKey("birds", 0, 2)
    world.leave("outcome.json", json.loads(OUTCOME.dump_json(Outcome(Verdict.RETRY, "NodeLost"))), second)
    world.tasks_now = tasks
    seen = world.observer.observe(replace(EXPERIMENT, retry_after=wishes), expand(EXPERIMENT.spec, FACTS))
    assert seen.outcomes[second].reason == "NodeLost"


@pytest.mark.parametrize("broken", [b"", b"[]", b'{"outcomes": 7}'])
def test_notes_that_cannot_be_read_are_no_loss(world, broken):
    before = graded_runs(world)
    world.runs.store.write(KEYS.notes, broken)
    seen = world.look()
    assert (seen.outcomes, seen.reports) == (before.outcomes, before.reports)


def test_notes_are_not_believed_once_another_controller_was_at_work(world):
    graded_runs(world)
    second = AttemptKey("birds", 0, 2)
    world.leave("outcome.json", json.loads(OUTCOME.dump_json(Outcome(Verdict.RETRY, "NodeLost"))), second)
    world.observer.doubt(EXPERIMENT.uid)
    assert second in world.look().outcomes


def test_notes_are_written_when_there_is_something_new_and_not_otherwise(world):
    graded_runs(world)
    world.look()
    world.observer.take_notes(EXPERIMENT, is_finished=True)
    assert "write notes.json" not in world.runs.take()
    world.judge(Outcome(Verdict.FAIL), AttemptKey("birds", 0, 2))
    world.observer.take_notes(EXPERIMENT, is_finished=False)
    assert "write notes.json" not in world.runs.take()
    world.observer.take_notes(EXPERIMENT, is_finished=True)
    assert "write notes.json" in world.runs.take()
