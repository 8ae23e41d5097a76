"""Whole experiments in virtual time, with random troubles. Nothing may be lost, graded twice, or held against an agent
that could not help it; budgets are kept; and every experiment ends.

MLECTL_SIMULATIONS=5000 plays that many, different ones each time; without it the same few are played every time.
"""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator.api.types import Phase, RunState
from tests.core.simulator.scenario import Scenario, Trouble
from tests.core.simulator.world import World

MANY = int(os.environ.get("MLECTL_SIMULATIONS", "0"))

scenarios = st.builds(
    Scenario,
    chance=st.integers(0, 2**32),
    competitions=st.integers(1, 3),
    seeds=st.integers(1, 2),
    parallelism=st.integers(0, 3),
    resume=st.booleans(),
    infrastructure_retries=st.sampled_from([0, 1, 3]),
    agent_retries=st.sampled_from([0, 1, 2]),
    troubles=st.frozensets(st.sampled_from(Trouble)),
)


@settings(
    max_examples=MANY or 120,
    derandomize=not MANY,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(scenarios)
@pytest.mark.timeout(24 * 3600 if MANY else 300)
def test_every_promise_is_kept_whatever_happens(scenario):
    assert World(scenario).play() == []


@pytest.mark.parametrize("trouble", Trouble)
@pytest.mark.parametrize("resume", [False, True], ids=["starts over", "resumes"])
def test_every_promise_is_kept_in_each_kind_of_trouble(trouble, resume):
    assert World(Scenario(chance=1, resume=resume, troubles=frozenset({trouble}))).play() == []


def test_without_troubles_every_run_is_graded_in_its_first_attempt():
    world = World(Scenario(competitions=3, seeds=2))
    assert world.play() == []
    status = world.desk.experiment.status
    assert status.phase is Phase.SUCCEEDED
    assert status.runs.total == status.runs.graded + status.runs.failed == 6
    assert {row.attempt for row in status.results} == {1}
    assert {row.reason for row in status.results if row.state is RunState.FAILED} <= {"InvalidSubmission"}


def test_the_same_scenario_plays_out_the_same_way():
    scenario = Scenario(chance=7, resume=True, troubles=frozenset(Trouble) - {Trouble.CANCELLED})
    one, other = World(scenario), World(scenario)
    one.play()
    other.play()
    assert one.desk.experiment == other.desk.experiment
    assert one.around.journal == other.around.journal
