"""What the figures say."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus
from orchestrator.cluster.kubernetes.kinds import JOBS
from orchestrator.controller.durations import Durations
from orchestrator.controller.memory import ClockSeen, Memory
from orchestrator.controller.metrics import Metrics, Standing, count_runs
from orchestrator.core.model import AttemptKey, Outcome, Role, Task, TaskPhase, Verdict

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EARLIER, LATER = NOW - timedelta(hours=1), NOW + timedelta(hours=1)
FAILED = {"competition": "birds", "seed": 0, "state": "Failed", "reason": "NodeLost"}
STATUS = ExperimentRunStatus.model_validate(
    {"runs": {"total": 4, "running": 1, "graded": 1, "failed": 2}, "results": [FAILED]}
)
KEY = Key("team", "trial")
LABELS = {"namespace": "team", "experiment": "trial"}
BIRDS = AttemptKey("birds", 0, 1)


def spec(**changes):
    asked = {"competitions": {"ids": ["birds"]}, "seeds": 2, "agent": {"name": "a", "image": "a:1"}, **changes}
    return ExperimentRunSpec.model_validate(asked)


def test_runs_are_counted_by_state_and_failed_ones_by_reason():
    counts = {key: number for key, number in count_runs(STATUS).items() if number}
    assert counts == {("Running", ""): 1, ("Graded", ""): 1, ("Failed", "NodeLost"): 1, ("Failed", ""): 1}


def test_an_experiment_that_is_gone_leaves_no_series():
    metrics = Metrics()
    metrics.experiments.show(KEY, Standing(spec(), STATUS, 10.0))
    shown = metrics.render().decode()
    assert 'mlectl_runs{experiment="trial",fault="infrastructure",namespace="team",reason="NodeLost"' in shown
    metrics.experiments.keep_only([])
    assert "trial" not in metrics.render().decode()


def test_consumed_budget_is_that_of_the_newest_attempts():
    memory = Memory(
        outcomes={
            AttemptKey("birds", 0, 1): Outcome(Verdict.RETRY, consumed_seconds=100.0),
            AttemptKey("birds", 0, 2): Outcome(Verdict.GRADE, consumed_seconds=150.0),
            AttemptKey("birds", 1, 1): Outcome(Verdict.RETRY, consumed_seconds=7.0),
        },
        clocks={AttemptKey("birds", 1, 2): ClockSeen(20.0, NOW)},
    )
    standing = Standing.of(spec(), STATUS, memory, {AttemptKey("birds", 1, 2): NOW})
    assert standing.consumed_seconds == 170.0
    assert standing.oldest_clock == NOW
    assert Standing.of(spec(), STATUS, memory, {}).oldest_clock is None


def test_a_clock_tells_when_it_was_written_what_is_safe_and_what_was_staged():
    told = {"consumed_seconds": 3.0, "written_at": NOW.isoformat(), "unsaved_since": EARLIER.isoformat()}
    assert ClockSeen.read(json.dumps({**told, "staged_bytes": 7}).encode()) == ClockSeen(3.0, NOW, EARLIER, 7)
    assert ClockSeen.read(b'{"consumed_seconds": 3.0}') == ClockSeen(3.0)


@pytest.mark.parametrize(
    ("clocks", "want"),
    [
        pytest.param({}, (NOW, NOW), id="a run without a clock counts from its agent's start"),
        pytest.param(
            {BIRDS: ClockSeen(1.0, LATER, EARLIER)}, (LATER, EARLIER), id="its courier ticks, and saves nothing"
        ),
        pytest.param({BIRDS: ClockSeen(1.0, LATER)}, (LATER, None), id="an older courier does not tell what is safe"),
    ],
)
def test_the_last_signs_of_a_running_agent(clocks, want):
    standing = Standing.of(spec(), STATUS, Memory(clocks=clocks), {BIRDS: NOW})
    assert (standing.oldest_clock, standing.oldest_snapshot) == want


def test_the_age_is_that_of_the_agent_that_has_waited_longest():
    metrics = Metrics()
    ages = {1: timedelta(hours=1), 2: timedelta(hours=3), 3: timedelta(hours=2)}
    now = datetime.now(UTC)
    memory = Memory(clocks={AttemptKey("birds", seed, 1): ClockSeen(1.0, now, now - age) for seed, age in ages.items()})
    standing = Standing.of(spec(snapshots={"every": "30m"}), STATUS, memory, dict.fromkeys(memory.clocks, now))
    metrics.experiments.show(KEY, standing)
    age = metrics.registry.get_sample_value("mlectl_oldest_snapshot_age_seconds", LABELS)
    assert age == pytest.approx(3 * 3600, abs=60)
    assert metrics.registry.get_sample_value("mlectl_snapshot_interval_seconds", LABELS) == 1800


def histogram(metrics, name):
    return (
        metrics.registry.get_sample_value(f"mlectl_run_{name}_seconds_count"),
        metrics.registry.get_sample_value(f"mlectl_run_{name}_seconds_sum"),
    )


def test_waits_are_measured_from_the_changes_that_were_seen():
    metrics = Metrics()
    durations = Durations(metrics)
    queued = Task("a", Role.AGENT, "birds", 0, 1, TaskPhase.QUEUED, NOW)
    staging = replace(queued, phase=TaskPhase.STAGING, node="n")
    running = replace(staging, phase=TaskPhase.RUNNING, started_at=NOW + timedelta(seconds=50))
    for seconds, task in ((0, queued), (20, staging), (30, staging), (60, running), (70, running)):
        durations.look([task], NOW + timedelta(seconds=seconds), {})
    assert histogram(metrics, "queue") == (1, 20.0)
    assert histogram(metrics, "staging") == (1, 30.0)


def test_what_ended_before_we_began_is_not_measured():
    metrics = Metrics()
    graded = Task("g", Role.GRADE, "birds", 0, 1, TaskPhase.SUCCEEDED, NOW, finished_at=NOW + timedelta(seconds=5))
    Durations(metrics).look([graded], NOW, {})
    assert histogram(metrics, "grading")[0] == 0
    durations = Durations(metrics)
    durations.look([replace(graded, phase=TaskPhase.RUNNING)], NOW, {})
    durations.look([graded], NOW, {})
    assert histogram(metrics, "grading") == (1, 5.0)


def test_what_was_staged_is_counted_once_and_only_if_this_controller_saw_it():
    metrics = Metrics()
    staging = Task("a", Role.AGENT, "birds", 0, 1, TaskPhase.STAGING, NOW, node="n")
    running = replace(staging, phase=TaskPhase.RUNNING, started_at=NOW)
    clocks = {BIRDS: ClockSeen(1.0, staged_bytes=7)}
    Durations(metrics).look([running], NOW, clocks)
    assert metrics.registry.get_sample_value("mlectl_staged_bytes_total") == 0
    durations = Durations(metrics)
    for task, seen in ((staging, {}), (running, {}), (running, clocks), (running, clocks)):
        durations.look([task], NOW, seen)
    assert metrics.registry.get_sample_value("mlectl_staged_bytes_total") == 7


def test_requests_are_counted_by_verb_resource_and_code():
    metrics = Metrics()
    metrics.api_request("create", JOBS, 201, 0.01)
    labels = {"verb": "create", "resource": "jobs", "code": "201"}
    assert metrics.registry.get_sample_value("mlectl_api_requests_total", labels) == 1


def test_the_limit_of_agents_is_shown_if_there_is_one():
    metrics = Metrics()
    for limit, want in ((32, 32), (0, None)):
        metrics.experiments.show(KEY, Standing(spec(parallelism=limit), STATUS))
        assert metrics.registry.get_sample_value("mlectl_parallelism", LABELS) == want


def test_an_experiment_tells_how_many_gpus_each_agent_asks_for():
    metrics = Metrics()
    metrics.experiments.show(KEY, Standing(spec(resources={"gpu": {"count": 2}}), STATUS))
    assert metrics.registry.get_sample_value("mlectl_run_gpus", LABELS) == 2


def test_counts_of_errors_begin_at_zero_so_that_the_first_one_is_an_increase():
    metrics = Metrics()
    for store in ("public", "private", "runs"):
        assert metrics.registry.get_sample_value("mlectl_store_errors_total", {"store": store}) == 0
    for cause in ("api", "store", "defect"):
        assert metrics.registry.get_sample_value("mlectl_reconcile_errors_total", {"cause": cause}) == 0
    first = {"verdict": "retry", "reason": "NodeLost", "fault": "infrastructure"}
    assert metrics.registry.get_sample_value("mlectl_attempts_total", first) == 0
    metrics.judged(Outcome(Verdict.RETRY, reason="NodeLost"))
    assert metrics.registry.get_sample_value("mlectl_attempts_total", first) == 1
