"""Tries of prepare and grade tasks."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.model import Ending, Note, TaskPhase
from orchestrator.core.situation import Situation
from orchestrator.core.tries import MOST_TAKEN_AWAY, Tries, choose_notes, look_at
from tests.core.build import HOUR, MINUTE, NOW, agent, experiment, grade, prepare, seen

FAILED = {"phase": TaskPhase.FAILED}


def look(*tasks, since=None, **fields):
    return look_at(tasks, Situation(experiment(**fields), seen(), NOW), since=since)


def test_the_first_try_is_due_at_once():
    assert look() == Tries(next=1)
    assert look().are_due(NOW)


@pytest.mark.parametrize(
    "tasks",
    [
        pytest.param([prepare(1)], id="the only one"),
        pytest.param([prepare(1, **FAILED), prepare(2)], id="the second"),
        pytest.param([prepare(1, unreachable_since=NOW - MINUTE)], id="one on a node that is silent for a moment"),
    ],
)
def test_while_a_try_runs_there_is_no_other(tasks):
    tries = look(*tasks)
    assert tries.is_running
    assert tries.next is None
    assert not tries.are_spent


@pytest.mark.parametrize(
    "tasks, want",
    [
        pytest.param([prepare(1, **FAILED)], 2, id="one failed"),
        pytest.param([prepare(2, **FAILED), prepare(1, **FAILED)], 3, id="two failed"),
        pytest.param([prepare(3, **FAILED)], 4, id="the first ones were removed"),
        pytest.param([prepare(1, phase=TaskPhase.SUCCEEDED)], 2, id="it succeeded, but left nothing"),
        pytest.param([prepare(1, unreachable_since=NOW - HOUR)], 2, id="its node is lost"),
        pytest.param([prepare(1, ending=Ending.DISRUPTED)], 2, id="it was evicted"),
    ],
)
def test_a_try_that_left_nothing_is_followed_by_another(tasks, want):
    assert look(*tasks).next == want


def test_a_try_that_says_itself_that_another_is_no_use_is_the_last():
    assert look(prepare(1, **FAILED, try_again=False)).are_spent
    assert not look(prepare(1, **FAILED)).are_spent


def test_a_quick_failure_is_not_repeated_at_once():
    tries = look(prepare(2, created_at=NOW - timedelta(seconds=5), **FAILED))
    assert not tries.are_due(NOW + timedelta(seconds=34))
    assert tries.are_due(NOW + timedelta(seconds=35))


def test_after_the_last_try_it_is_given_up():
    tries = look(*(prepare(number, **FAILED) for number in (1, 2, 3, 4)))
    assert tries.are_spent
    assert tries.last.attempt == 4


TAKEN = [Ending.DISRUPTED, Ending.DELETED, Ending.NODE_LOST]


@given(st.lists(st.sampled_from([None, Ending.OOM_KILLED, *TAKEN]), min_size=1, max_size=30), st.integers(0, 4))
def test_only_tries_that_ended_by_themselves_count_against_the_limit_and_the_others_have_one_of_their_own(ends, limit):
    tasks = [prepare(number, ending=ending, **FAILED) for number, ending in enumerate(ends, 1)]
    taken = sum(ending in TAKEN for ending in ends)
    tries = look(*tasks, retries={"infrastructure": limit})
    assert tries.are_spent is (len(ends) - taken > limit or taken > MOST_TAKEN_AWAY)


def test_a_try_on_a_lost_node_was_taken_away():
    silent = [prepare(number, unreachable_since=NOW - HOUR) for number in range(1, MOST_TAKEN_AWAY + 1)]
    assert look(*silent, retries={"infrastructure": 0}).next == MOST_TAKEN_AWAY + 1
    assert look(*silent, prepare(MOST_TAKEN_AWAY + 1, ending=Ending.DISRUPTED)).are_spent


def test_what_was_taken_away_before_a_persons_wish_excuses_nothing_after_it():
    old = [prepare(number, created_at=NOW - HOUR, ending=Ending.DISRUPTED) for number in (1, 2, 3)]
    new = [prepare(number, created_at=NOW - MINUTE, **FAILED) for number in (4, 5, 6, 7)]
    assert look(*old, *new, since=NOW - 30 * MINUTE).are_spent


def test_what_is_taken_away_again_and_again_is_tried_less_and_less_often():
    tasks = [prepare(number, created_at=NOW, ending=Ending.DISRUPTED) for number in (1, 2, 3, 4)]
    assert look(*tasks[:1]).due_at == NOW + timedelta(seconds=10)
    assert look(*tasks).due_at == NOW + timedelta(minutes=10)


def test_what_ran_out_of_memory_is_counted_also_before_a_persons_wish():
    tasks = [prepare(1, ending=Ending.OOM_KILLED), prepare(2, **FAILED), prepare(3, ending=Ending.DISRUPTED)]
    assert look(*tasks).out_of_memory == look(*tasks, since=NOW).out_of_memory == 1


@pytest.mark.parametrize(
    "task, want",
    [
        pytest.param(prepare(message="accept the rules", try_again=False, **FAILED), True, id="a failed preparation"),
        pytest.param(grade(ending=Ending.OOM_KILLED), True, id="a failed grading"),
        pytest.param(prepare(is_noted=True, **FAILED), False, id="once"),
        pytest.param(prepare(ending=Ending.DELETED), False, id="no pod is needed to tell that it is gone"),
        pytest.param(prepare(), False, id="it runs"),
        pytest.param(prepare(phase=TaskPhase.SUCCEEDED), False, id="it succeeded"),
        pytest.param(agent(**FAILED), False, id="an attempt is judged instead"),
    ],
)
def test_what_a_failed_try_said_is_written_down(task, want):
    notes = list(choose_notes(Situation(experiment(), seen(task), NOW)))
    assert notes == ([Note(task.name, task.ending, task.message, task.try_again)] if want else [])


def test_a_person_can_ask_for_the_same_number_of_tries_again():
    """What was tried before does not count any more; the numbers go on, because the names do."""
    old, new = {"created_at": NOW - HOUR, **FAILED}, {"created_at": NOW - MINUTE, **FAILED}
    wish = {"since": NOW - 30 * MINUTE}
    assert look(prepare(4, **old)).are_spent
    assert look(prepare(4, **old), **wish).next == 5
    assert look(prepare(4, **old), prepare(7, **new), **wish).next == 8
    assert look(prepare(4, **old), prepare(8, **new), **wish).are_spent
    assert look(prepare(8, **new), **wish).are_spent, "of older ones nothing is known"


def test_a_persons_wish_overrules_a_try_that_said_that_another_is_no_use_until_the_next_one_says_it_too():
    old, new = {"created_at": NOW - HOUR, **FAILED}, {"created_at": NOW - MINUTE, **FAILED}
    wish = {"since": NOW - 30 * MINUTE}
    assert look(prepare(1, **old, try_again=False), **wish).next == 2
    assert look(prepare(1, **old), prepare(2, **new, try_again=False), **wish).are_spent


def test_who_has_given_up_is_not_brought_back_by_another_who_tries_on():
    spent = [prepare(number, **FAILED) for number in (1, 2, 3, 4)]
    tries = look(*spent, prepare(5))
    assert tries.are_spent
    assert tries.last == spent[-1]
    assert look(prepare(1, try_again=False, **FAILED), prepare(2)).are_spent
    assert look(*spent[:3], prepare(4)).is_running, "it has not given up yet"


def test_a_try_that_does_not_count_is_waited_for_and_followed_by_one_that_does():
    since = NOW - MINUTE
    assert look(prepare(4), since=since).is_running
    assert look(prepare(4, **FAILED), since=since).next == 5
    assert look(prepare(4, try_again=False, **FAILED), since=since).next == 5


def test_a_try_that_looks_older_than_the_wish_because_clocks_differ_is_not_repeated_at_once():
    tries = look(prepare(1, created_at=NOW, **FAILED), since=NOW + HOUR)
    assert not tries.are_due(NOW + timedelta(seconds=9))
    assert tries.are_due(NOW + timedelta(seconds=10))
