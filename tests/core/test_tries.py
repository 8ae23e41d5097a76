"""Tries of prepare and grade tasks."""

from datetime import timedelta

import pytest

from orchestrator.core.model import Ending, TaskPhase
from orchestrator.core.situation import Situation
from orchestrator.core.tries import Tries, look_at
from tests.core.build import HOUR, MINUTE, NOW, experiment, prepare, seen

FAILED = {"phase": TaskPhase.FAILED}


def look(*tasks, since=None):
    return look_at(tasks, Situation(experiment(), seen(), NOW), since=since)


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
