"""When an attempt is given up as lost: it looks unreachable, and its courier has not been heard of for the patience."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.model import TaskPhase
from orchestrator.core.situation import Situation
from tests.core.build import NOW, agent, experiment, grade, key, seen

PATIENCE = timedelta(minutes=10)
INSTANT = timedelta(seconds=1)

spans = st.integers(0, 24 * 3600).map(lambda seconds: timedelta(seconds=seconds))
long = st.integers(600, 24 * 3600).map(lambda seconds: timedelta(seconds=seconds))
short = st.integers(0, 599).map(lambda seconds: timedelta(seconds=seconds))
heards = st.none() | st.integers(-24 * 3600, 0).map(lambda seconds: NOW + timedelta(seconds=seconds))
open_phases = st.sampled_from([phase for phase in TaskPhase if not phase.is_final])


def situation(task, heard=None, now=NOW):
    return Situation(experiment(), seen(task, heard={} if heard is None else {key(): heard}), now, PATIENCE)


def is_lost(task, heard=None, now=NOW):
    return situation(task, heard, now).is_lost(task)


@given(spans, short, open_phases)
def test_nothing_is_lost_while_its_courier_is_heard_of(since, silence, phase):
    assert not is_lost(agent(phase=phase, unreachable_since=NOW - since), heard=NOW - silence)


@given(spans, st.lists(short, min_size=1, max_size=20), open_phases)
def test_nothing_is_lost_at_any_time_while_heartbeats_come(since, gaps, phase):
    """However far apart they are, if that is less than the patience."""
    task, heard = agent(phase=phase, unreachable_since=NOW - since), NOW
    for gap in gaps:
        assert not is_lost(task, heard, now=heard + gap)
        heard += gap


@given(long, long, open_phases)
def test_what_is_silent_in_every_way_for_the_patience_is_lost(since, silence, phase):
    task = agent(phase=phase, unreachable_since=NOW - since)
    assert is_lost(task, heard=NOW - silence)
    assert is_lost(task), "one that was never heard of, too"


@given(short, heards, open_phases)
def test_nothing_is_lost_before_it_has_looked_so_for_the_patience(since, heard, phase):
    assert not is_lost(agent(phase=phase, unreachable_since=NOW - since), heard)


@given(heards, open_phases)
def test_a_node_that_is_back_has_lost_nothing(heard, phase):
    assert not is_lost(agent(phase=phase), heard)


@given(spans, heards, st.sampled_from(TaskPhase))
def test_it_is_lost_from_the_moment_that_was_told(since, heard, phase):
    task = agent(phase=phase, unreachable_since=NOW - since)
    lost_at = situation(task, heard).lost_at(task)
    if lost_at is None:
        assert phase.is_final
        return
    assert is_lost(task, heard, now=lost_at)
    assert not is_lost(task, heard, now=lost_at - INSTANT)


def test_the_courier_of_an_attempt_says_nothing_of_other_tasks():
    for task in (agent(2, unreachable_since=NOW - PATIENCE), grade(unreachable_since=NOW - PATIENCE)):
        assert is_lost(task, heard=NOW)
