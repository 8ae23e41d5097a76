"""Which datasets are ready, to be prepared, or given up."""

import pytest

from orchestrator.core.datasets import AT_ONCE, PLACED_WITHIN, Readiness, choose_prepares, look_at_datasets
from orchestrator.core.history import gather
from orchestrator.core.model import Ending, Headway, Role, RunKey, Seen, Start, TaskPhase
from orchestrator.core.names import prepare_task
from orchestrator.core.situation import Situation
from orchestrator.core.status import choose_dataset_rows
from tests.core.build import HOUR, MINUTE, NOW, UID, experiment, prepare

FAILED = {"phase": TaskPhase.FAILED}


def look(*tasks, prepared=(), competitions=("birds",), **fields):
    asked = experiment(**fields)
    situation = Situation(asked, Seen(tasks=tasks, prepared=frozenset(prepared)), NOW)
    runs = [RunKey(id, 0) for id in competitions]
    return look_at_datasets(competitions, gather(runs, asked, situation.seen).values(), situation), situation


def starts(*tasks, needed=("birds",), **fields):
    datasets, situation = look(*tasks, **fields)
    return list(choose_prepares(datasets, frozenset(needed), situation))


@pytest.mark.parametrize(
    "tasks, prepared, want",
    [
        pytest.param([], ["birds"], Readiness.READY, id="it is in the stores"),
        pytest.param([prepare(1, **FAILED)], ["birds"], Readiness.READY, id="whoever prepared it"),
        pytest.param([], [], Readiness.WAITING, id="nobody has begun"),
        pytest.param([prepare()], [], Readiness.PREPARING, id="it is being prepared"),
        pytest.param([prepare(1, **FAILED)], [], Readiness.PREPARING, id="a first try failed"),
        pytest.param(
            [prepare(number, **FAILED) for number in (1, 2, 3, 4)], [], Readiness.UNAVAILABLE, id="all tries failed"
        ),
    ],
)
def test_how_far_a_dataset_is(tasks, prepared, want):
    datasets, _ = look(*tasks, prepared=prepared)
    assert datasets["birds"].readiness is want


def test_a_dataset_that_is_given_up_says_what_the_last_try_said():
    tasks = [prepare(1, message="no disk", **FAILED), prepare(2, message="accept the rules first", **FAILED)]
    datasets, _ = look(*tasks, retries={"infrastructure": 1})
    assert datasets["birds"].message == "accept the rules first"


def test_what_is_needed_and_not_there_is_prepared():
    name = prepare_task("v1", "birds", 1)
    assert starts() == [Start(name, Role.PREPARE, "birds", attempt=1, version="v1", asked_by=UID)]


@pytest.mark.parametrize(
    "tasks, fields",
    [
        pytest.param([], {"prepared": ["birds"]}, id="it is there"),
        pytest.param([], {"needed": []}, id="nobody needs it"),
        pytest.param([prepare()], {}, id="it is being prepared"),
        pytest.param([prepare(1, created_at=NOW, **FAILED)], {}, id="it failed a moment ago"),
        pytest.param([prepare(4, **FAILED)], {}, id="it was given up"),
    ],
)
def test_what_is_not_prepared_now(tasks, fields):
    assert starts(*tasks, **fields) == []


BEFORE = {"created_at": NOW - 20 * HOUR}
"""Before the experiment of these tests was made."""


@pytest.mark.parametrize(
    "tasks, want",
    [
        pytest.param([prepare(1, asked_by="another")], Readiness.PREPARING, id="its task is waited for"),
        pytest.param([prepare(1, asked_by="another", **BEFORE)], Readiness.PREPARING, id="however old it is"),
        pytest.param([prepare(4, **FAILED, **BEFORE)], Readiness.WAITING, id="what failed before does not count"),
        pytest.param([prepare(1, **FAILED, try_again=False, **BEFORE)], Readiness.WAITING, id="nor a refusal"),
        pytest.param([prepare(4, **FAILED)], Readiness.UNAVAILABLE, id="what fails from now on counts, whose it is"),
    ],
)
def test_what_another_experiment_does_about_a_dataset(tasks, want):
    datasets, _ = look(*tasks)
    assert datasets["birds"].readiness is want


def test_a_task_that_another_experiment_began_is_shown_as_shared():
    for asked_by, want in (("another", True), (UID, False), ("", False)):
        datasets, _ = look(prepare(asked_by=asked_by))
        assert datasets["birds"].is_shared is want, asked_by


def test_the_number_goes_on_where_others_left_off():
    (start,) = starts(prepare(4, **FAILED, **BEFORE))
    assert (start.attempt, start.name) == (5, prepare_task("v1", "birds", 5))


def test_how_far_a_task_is_is_told_of_one_that_runs():
    headway = Headway("download", 3, 7)
    for task, want in ((prepare(), headway), (prepare(1, **FAILED), None)):
        situation = Situation(experiment(), Seen(tasks=(task,), headway={"birds": headway}), NOW)
        assert look_at_datasets(["birds"], [], situation)["birds"].headway == want


def test_a_person_can_have_a_dataset_tried_again():
    (start,) = starts(prepare(4, **FAILED), retry_after={RunKey("birds", 0): 0}, retry_asked_at=NOW)
    assert start.attempt == 5


@pytest.mark.parametrize(
    "parallelism, want",
    [
        pytest.param(0, AT_ONCE, id="without a limit of its own"),
        pytest.param(2, 2, id="on a small machine"),
        pytest.param(32, AT_ONCE, id="on a large cluster"),
    ],
)
def test_only_some_are_prepared_at_once(parallelism, want):
    many = [f"c{number}" for number in range(20)]
    assert len(starts(competitions=many, needed=many, parallelism=parallelism)) == want
    running = prepare(competition="c0")
    assert len(starts(running, competitions=many, needed=many, parallelism=parallelism)) == want - 1


QUEUED = {"phase": TaskPhase.QUEUED}


@pytest.mark.parametrize(
    "stuck, want",
    [
        pytest.param({"created_at": NOW - PLACED_WITHIN, **QUEUED}, AT_ONCE, id="those that no node takes stand aside"),
        pytest.param({"created_at": NOW - PLACED_WITHIN + MINUTE, **QUEUED}, 0, id="after some patience"),
        pytest.param({"created_at": NOW - PLACED_WITHIN}, 0, id="those that have a node are waited for"),
    ],
)
def test_what_no_node_can_hold_does_not_keep_the_others_from_starting(stuck, want):
    many = [f"c{number}" for number in range(20)]
    first = [prepare(competition=name, **stuck) for name in many[:AT_ONCE]]
    found = starts(*first, competitions=many, needed=many)
    assert [start.competition for start in found] == many[AT_ONCE : AT_ONCE + want]


def test_what_the_scheduler_says_of_a_task_that_waits_is_shown():
    datasets, _ = look(prepare(message="0/5 nodes are available: 5 Insufficient memory.", **QUEUED))
    (row,) = choose_dataset_rows(datasets.values())
    assert (row.state, row.message) == ("Preparing", "0/5 nodes are available: 5 Insufficient memory.")


def test_a_try_is_told_how_often_memory_was_too_little():
    (start,) = starts(prepare(1, ending=Ending.OOM_KILLED), prepare(2, ending=Ending.DISRUPTED))
    assert (start.attempt, start.out_of_memory) == (3, 1)


def test_the_largest_which_come_first_are_prepared_first():
    many = ["whales", "birds", "ants"]
    assert [start.competition for start in starts(competitions=many, needed=many, parallelism=2)] == many[:2]


def test_the_first_that_starts_asks_for_the_rules_of_all_that_wait():
    many = ["whales", "birds", "ants", "bees"]
    first, second = starts(prepare(competition="ants"), competitions=many, needed=many, parallelism=3)
    assert (first.competition, first.ahead) == ("whales", ("bees", "birds"))
    assert (second.competition, second.ahead) == ("birds", ())


def test_rules_that_stand_in_the_way_are_told_of_a_dataset_that_waits():
    refused = {"birds": "Its rules were not accepted."}
    for tasks, want in (((), refused["birds"]), ((prepare(),), "")):
        situation = Situation(experiment(), Seen(tasks=tasks, refused=refused), NOW)
        dataset = look_at_datasets(["birds"], [], situation)["birds"]
        assert (dataset.in_the_way, dataset.message) == (want, want)
