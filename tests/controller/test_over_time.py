"""What the figures say of scores over time."""

import pytest

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus
from orchestrator.controller.memory import Memory
from orchestrator.controller.metrics import Metrics, Standing
from orchestrator.controller.over_time import had_medal, medal_percents
from orchestrator.core.model import GradedRun, Outcome, RunKey, Verdict

HOUR = 3600.0
CLIMBED = ((60, None), (180, "bronze"), (600, None), (900, "gold"))


def spec(**changes):
    asked = {"competitions": {"ids": ["birds"]}, "agent": {"name": "a", "image": "a:1"}, **changes}
    return ExperimentRunSpec.model_validate(asked)


def graded(medal=None, snapshots=CLIMBED, attempt=1):
    return GradedRun(attempt, 0.5, medal, True, False, medals_over_time=snapshots)


def memory(*runs, consumed=24 * HOUR):
    keys = [RunKey("birds", seed) for seed in range(len(runs))]
    return Memory(
        reports=dict(zip(keys, runs, strict=True)),
        outcomes={
            key.attempt(run.attempt): Outcome(Verdict.GRADE, consumed_seconds=consumed)
            for key, run in zip(keys, runs, strict=True)
        },
    )


@pytest.mark.parametrize(
    ("hours", "consumed", "want"),
    [
        pytest.param(1, 24, False, id="not yet"),
        pytest.param(4, 24, True, id="a snapshot counts until the next"),
        pytest.param(12, 24, False, id="a medal can be lost again"),
        pytest.param(16, 24, True, id="the last one before the hour counts"),
        pytest.param(24, 24, False, id="at its end, what it left counts"),
        pytest.param(16, 15.5, False, id="of a run that had ended, what it left counts"),
    ],
)
def test_whether_a_run_had_a_medal_by_then(hours, consumed, want):
    assert had_medal(graded(), consumed * HOUR, hours) is want


def test_a_run_without_a_snapshot_had_nothing_before_its_end():
    run = graded("gold", ())
    assert not had_medal(run, 5 * HOUR, 4)
    assert had_medal(run, 5 * HOUR, 8)


def test_the_share_is_that_of_the_graded_runs_whose_snapshots_are_known():
    found = medal_percents(memory(graded(), graded(snapshots=()), graded("gold", None)), spec())
    assert found == {1: 0, 2: 0, 4: 50, 8: 50, 12: 0, 16: 50, 20: 50, 24: 0}


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        pytest.param({"budget": {"wallClock": "5h"}}, [1, 2, 4], id="no hour after the budget"),
        pytest.param({"snapshots": {"every": "4h"}}, [4, 8, 12, 16, 20, 24], id="none before the first snapshot"),
        pytest.param({"snapshots": {"grade": False}}, [], id="none where snapshots are not graded"),
    ],
)
def test_hours_of_which_something_is_known(changes, want):
    assert list(medal_percents(memory(graded()), spec(**changes))) == want


def test_a_run_that_was_resumed_does_not_tell_of_its_first_hours():
    agent = {"name": "a", "image": "a:1", "resume": True}
    assert medal_percents(memory(graded(attempt=2)), spec(agent=agent)) == {}
    assert medal_percents(memory(graded(attempt=2)), spec())[4] == 100


def test_they_are_shown_by_hours():
    metrics = Metrics()
    metrics.experiments.show(Key("team", "trial"), Standing.of(spec(), ExperimentRunStatus(), memory(graded()), {}))
    labels = {"namespace": "team", "experiment": "trial", "hours": "4"}
    assert metrics.registry.get_sample_value("mlectl_medal_percent_over_time", labels) == 100
