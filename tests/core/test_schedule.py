"""Which attempts and grade tasks start next."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.model import Outcome, Role, RunKey, Start, TaskPhase, Verdict
from orchestrator.core.names import agent_task, grade_task
from orchestrator.core.plan import decide
from tests.core.build import HOUR, NOW, UID, agent, experiment, facts, grade, key, lost, prepare, run, seen

IDS = ("ants", "birds", "cats", "dogs")
KNOWN = facts(*IDS)
ALL = {"competitions": {"ids": list(IDS)}, "seeds": 2}
READY = {"prepared": frozenset(IDS)}
GRADE = Outcome(Verdict.GRADE)


def starts(found, role=Role.AGENT, **fields):
    plan = decide(experiment(**{**ALL, **fields}), found, KNOWN, NOW)
    return [action for action in plan.actions if isinstance(action, Start) and action.role is role]


def started(found, **fields):
    return [(start.competition, start.seed) for start in starts(found, **fields)]


def test_runs_start_in_their_order_as_far_as_there_is_room():
    assert started(seen(**READY), parallelism=3) == [("ants", 0), ("birds", 0), ("cats", 0)]
    assert len(started(seen(**READY), parallelism=0)) == 8


def test_a_run_whose_dataset_is_not_ready_lets_others_go_first():
    found = seen(prepare(competition="ants"), prepared=frozenset({"birds", "cats"}))
    assert started(found, parallelism=3) == [("birds", 0), ("cats", 0), ("birds", 1)]


@pytest.mark.parametrize(
    "tasks, want",
    [
        pytest.param([agent(competition="ants")], 2, id="a running one holds a slot"),
        pytest.param([agent(competition="ants", phase=TaskPhase.QUEUED)], 2, id="so does one that waits for a node"),
        pytest.param([agent(competition="ants", phase=TaskPhase.COLLECTING)], 2, id="and one that is being collected"),
        pytest.param(
            [agent(competition="ants", unreachable_since=NOW - timedelta(minutes=9))], 2, id="and a silent one"
        ),
        pytest.param([agent(competition="ants", unreachable_since=NOW - HOUR)], 3, id="but not one that is lost"),
        pytest.param([agent(competition="ants", phase=TaskPhase.FAILED)], 3, id="nor one that has ended"),
        pytest.param([grade(competition="ants"), prepare(competition="ants")], 3, id="nor other tasks"),
        pytest.param([agent(competition=id) for id in IDS], 0, id="more than allowed, because the limit was lowered"),
    ],
)
def test_what_holds_a_slot(tasks, want):
    assert len(started(seen(*tasks, **READY), parallelism=3)) == want


def test_a_retry_goes_before_every_run_of_a_later_seed():
    outcomes = {key(1, id): GRADE for id in IDS} | {key(1, "birds"): lost()}
    assert started(seen(outcomes=outcomes, **READY), parallelism=2) == [("birds", 0), ("ants", 1)]


def test_a_retry_waits_longer_each_time():
    def retries_at(age, outcomes):
        newest = max(outcomes).attempt
        task = agent(newest, "ants", phase=TaskPhase.FAILED, created_at=NOW - timedelta(seconds=age))
        return ("ants", 0) in started(seen(task, outcomes=outcomes, **READY))

    once, twice = {key(1, "ants"): lost()}, {key(1, "ants"): lost(), key(2, "ants"): lost()}
    assert [retries_at(age, once) for age in (9, 10)] == [False, True]
    assert [retries_at(age, twice) for age in (39, 40)] == [False, True]
    silent = {key(1, "ants"): lost("NoSubmission")}
    assert [retries_at(age, silent) for age in (9, 10)] == [False, True]


def test_what_we_stopped_goes_on_at_once():
    stopped = {key(1, "ants"): lost(), key(2, "ants"): lost("Suspended", counts=False)}
    found = seen(agent(2, "ants", phase=TaskPhase.FAILED, created_at=NOW), outcomes=stopped, **READY)
    assert ("ants", 0) in started(found)


def test_an_attempt_says_what_is_left_and_where_to_go_on():
    resuming = {"agent": {"name": "a", "image": "a", "resume": True}, "budget": {"wallClock": "2h"}}
    outcomes = {key(1, "ants"): lost(saved=1, consumed_seconds=600.0)}
    first = starts(seen(outcomes=outcomes, **READY), **resuming)[0]
    assert first == Start(
        agent_task(UID, key(2, "ants")),
        Role.AGENT,
        "ants",
        0,
        2,
        budget_seconds=6600.0,
        consumed_seconds=600.0,
        resume_from=1,
    )


def test_the_time_of_folders_that_were_saved_late_is_counted():
    resuming = {"agent": {"name": "a", "image": "a", "resume": True}, "budget": {"wallClock": "2h"}}
    outcomes = {key(1, "ants"): lost(saved=1, consumed_seconds=600.0)}
    first = starts(seen(outcomes=outcomes, clocks={key(1, "ants"): 900.0}, **READY), **resuming)[0]
    assert (first.budget_seconds, first.consumed_seconds) == (6300.0, 900.0)


def test_what_was_collected_is_graded_whatever_the_parallelism():
    outcomes = {key(1, id): GRADE for id in IDS}
    found = seen(agent(1, "ants", seed=1), outcomes=outcomes, **READY)
    grades = starts(found, role=Role.GRADE, parallelism=1)
    assert [start.competition for start in grades] == list(IDS)
    assert grades[0] == Start(grade_task(UID, key(1, "ants"), 1), Role.GRADE, "ants", 0, 1, grades_attempt=1)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(seen(grade(), outcomes={key(): GRADE}), id="it is being graded"),
        pytest.param(
            seen(grade(phase=TaskPhase.FAILED, created_at=NOW), outcomes={key(): GRADE}), id="it failed a moment ago"
        ),
        pytest.param(seen(outcomes={key(): GRADE}, prepared=frozenset()), id="the answers are not there"),
    ],
)
def test_when_nothing_is_graded(found):
    assert starts(found, role=Role.GRADE) == []


def test_the_tries_to_grade_an_older_attempt_do_not_count():
    failed = [grade(1, number, phase=TaskPhase.FAILED) for number in (1, 2, 3, 4)]
    found = seen(*failed, outcomes={key(1): Outcome(Verdict.GRADE), key(2): GRADE})
    (start,) = starts(found, role=Role.GRADE, competitions={"ids": ["birds"]}, seeds=1)
    assert (start.attempt, start.grades_attempt) == (1, 2)


@pytest.mark.parametrize(
    "fields, roles",
    [
        pytest.param({}, {Role.PREPARE, Role.AGENT, Role.GRADE}, id="usually everything that can starts"),
        pytest.param({"suspend": True}, set(), id="nothing starts in a suspended experiment"),
        pytest.param({"cancelled": True}, {Role.GRADE}, id="in a cancelled one, what was collected is graded"),
        pytest.param({"cancelled": True, "suspend": True}, {Role.GRADE}, id="also if it was suspended before"),
    ],
)
def test_what_may_start(fields, roles):
    found = seen(outcomes={key(1, "birds"): GRADE}, prepared=frozenset({"birds", "cats"}))
    plan = decide(experiment(**{**ALL, **fields}), found, KNOWN, NOW)
    assert {action.role for action in plan.actions if isinstance(action, Start)} == roles


runs_seen = st.dictionaries(
    st.tuples(st.sampled_from(IDS), st.integers(0, 1)), st.sampled_from([*TaskPhase, "lost", "judged"]), max_size=8
)


@given(runs_seen, st.integers(0, 9), st.sets(st.sampled_from(IDS)))
def test_parallelism_is_never_exceeded_and_never_wasted(found, parallelism, prepared):
    tasks, outcomes = [], {}
    for (competition, seed), phase in found.items():
        if phase == "lost":
            tasks.append(agent(1, competition, seed, unreachable_since=NOW - HOUR))
        elif phase == "judged":
            outcomes[key(1, competition, seed)] = lost()
        else:
            tasks.append(agent(1, competition, seed, phase=phase))
    busy = sum(not task.phase.is_final and task.unreachable_since is None for task in tasks)
    look = seen(*tasks, outcomes=outcomes, prepared=frozenset(prepared))
    chosen = starts(look, parallelism=parallelism)
    waiting = [
        RunKey(competition, seed)
        for competition in prepared
        for seed in (0, 1)
        if found.get((competition, seed)) in (None, "judged", "lost", "Succeeded", "Failed")
    ]
    room = max(0, parallelism - busy) if parallelism else len(waiting)
    assert len(chosen) == min(room, len(waiting))
    assert len({start.name for start in chosen}) == len(chosen)


def test_every_start_is_for_the_attempt_after_the_newest():
    outcomes = {key(n, "ants"): lost() for n in (1, 2, 3)}
    (start,) = [s for s in starts(seen(outcomes=outcomes, **READY)) if RunKey(s.competition, s.seed) == run("ants")]
    assert start.attempt == 4
