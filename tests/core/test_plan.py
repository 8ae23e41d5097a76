"""The plan as a whole: its order, and what holds of every plan whatever was seen."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.core.model import (
    AttemptKey,
    AttemptRecord,
    Ending,
    GradedRun,
    Judge,
    Outcome,
    Publish,
    Remove,
    Role,
    RunKey,
    Seen,
    Start,
    Stop,
    TaskPhase,
    Verdict,
)
from orchestrator.core.plan import decide
from tests.core.build import BIRDS, HOUR, NOW, agent, experiment, facts, grade, graded, key, prepare, record, run, seen

IDS = ("ants", "birds")
KNOWN = facts(*IDS)
ALL = {"competitions": {"ids": list(IDS)}, "seeds": 2}


def test_a_judgement_comes_before_what_follows_from_it():
    """An attempt is judged, then what follows starts, and only then is anything tidied up."""
    old = {"phase": TaskPhase.SUCCEEDED, "finished_at": NOW - 200 * HOUR, "created_at": NOW - 201 * HOUR}
    plan = decide(experiment(), seen(agent(**old), records={key(): record()}), BIRDS, NOW)
    assert [type(action) for action in plan.actions] == [Judge, Start, Remove]
    assert plan.actions[1].grades_attempt == 1


def test_a_lost_attempt_is_judged_stopped_and_followed_in_one_plan():
    plan = decide(experiment(), seen(agent(unreachable_since=NOW - HOUR)), BIRDS, NOW)
    assert [type(action) for action in plan.actions] == [Judge, Stop, Start]
    assert plan.actions[2].attempt == 2


def test_a_finished_experiment_has_nothing_left_but_its_report():
    plan = decide(experiment(), seen(reports={run(): graded()}), BIRDS, NOW)
    assert [type(action) for action in plan.actions] == [Publish]


def test_how_patient_a_plan_is_can_be_chosen():
    found = seen(agent(unreachable_since=NOW - timedelta(seconds=30)))
    assert decide(experiment(), found, BIRDS, NOW).actions == ()
    assert decide(experiment(), found, BIRDS, NOW, patience=timedelta(seconds=30)).actions != ()


moments = st.integers(0, 500).map(lambda hours: NOW - hours * HOUR)
states = {
    "phase": st.sampled_from(TaskPhase),
    "ending": st.none() | st.sampled_from(Ending),
    "created_at": moments,
    "finished_at": st.none() | moments,
    "unreachable_since": st.none() | moments,
}
competitions = st.sampled_from(IDS)
seeds = st.integers(0, 1)
attempts = st.integers(1, 4)
agents = st.builds(agent, attempts, competitions, seeds, requeued=st.booleans(), **states)
grades = st.builds(grade, attempts, attempts, competitions, seeds, **states)
prepares = st.builds(prepare, attempts, competitions, **states)
keys = st.builds(AttemptKey, competitions, seeds, attempts)
runs = st.builds(RunKey, competitions, seeds)
records = st.builds(
    AttemptRecord,
    exit_code=st.sampled_from([0, 1]),
    deadline_reached=st.booleans(),
    interrupted=st.booleans(),
    has_submission=st.booleans(),
    consumed_seconds=st.floats(0, 86_400),
)
outcomes = st.builds(
    Outcome,
    st.sampled_from(Verdict),
    st.sampled_from([None, "NodeLost", "NoSubmission", "Suspended", "FromANewerVersion"]),
    consumed_seconds=st.floats(0, 90_000),
    counts=st.booleans(),
    saved=st.none() | attempts,
).filter(lambda outcome: outcome.verdict is Verdict.GRADE or outcome.reason is not None)
reports = st.builds(
    GradedRun,
    attempts,
    st.none() | st.floats(0, 1),
    st.sampled_from([None, "gold"]),
    valid=st.booleans(),
    above_median=st.booleans(),
)
sights = st.builds(
    Seen,
    tasks=st.lists(agents | grades | prepares, max_size=12, unique_by=lambda task: task.name).map(tuple),
    prepared=st.frozensets(competitions),
    records=st.dictionaries(keys, records, max_size=6),
    outcomes=st.dictionaries(keys, outcomes, max_size=6),
    clocks=st.dictionaries(keys, st.floats(0, 86_400), max_size=6),
    saved=st.frozensets(keys, max_size=6),
    reports=st.dictionaries(runs, reports, max_size=4),
    report_is_published=st.booleans(),
    published_digest=st.none() | st.just("stale"),
)
experiments = st.builds(
    experiment,
    suspend=st.booleans(),
    cancelled=st.booleans(),
    parallelism=st.integers(0, 3),
    retry_after=st.dictionaries(runs, st.integers(0, 4), max_size=3),
    retry_asked_at=st.none() | st.sampled_from([NOW - 2 * HOUR, NOW]),
    agent=st.booleans().map(lambda resume: {"name": "a", "image": "a", "resume": resume}),
    **{name: st.just(value) for name, value in ALL.items()},
)


def of(plan, kind):
    return [action for action in plan.actions if isinstance(action, kind)]


@given(experiments, sights)
def test_every_plan_keeps_to_the_rules(asked, found):
    plan = decide(asked, found, KNOWN, NOW)
    judged = [action.key for action in of(plan, Judge)]
    starts = of(plan, Start)
    known = [AttemptKey(task.competition, task.seed, task.attempt) for task in found.tasks if task.role is Role.AGENT]
    known += [*found.records, *found.outcomes, *found.clocks]

    assert len(set(judged)) == len(judged)
    assert not set(judged) & set(found.outcomes)
    assert [type(action) for action in plan.actions[: len(judged)]] == [Judge] * len(judged)
    assert len({start.name for start in starts}) == len(starts)
    assert not {start.name for start in starts} & {task.name for task in found.tasks}
    for start in starts:
        if start.role is Role.AGENT:
            assert start.attempt > max(
                (k.attempt for k in known if k.run == (start.competition, start.seed)), default=0
            )
            assert 0 <= start.budget_seconds <= asked.spec.budget.wall_clock.total_seconds()
    if asked.cancelled:
        assert {start.role for start in starts} <= {Role.GRADE}
    elif asked.spec.suspend:
        assert not starts


@given(experiments, sights)
def test_a_plan_that_was_carried_out_is_not_made_again(asked, found):
    """Judgements hold: with them written down, the next plan judges nothing and starts the same."""
    plan = decide(asked, found, KNOWN, NOW)
    judged = {action.key: action.outcome for action in of(plan, Judge)}
    again = decide(asked, replace(found, outcomes={**found.outcomes, **judged}), KNOWN, NOW)
    assert of(again, Judge) == []
    assert [a for a in again.actions if not isinstance(a, Judge)] == [
        a for a in plan.actions if not isinstance(a, Judge)
    ]
    assert again.status == plan.status


@given(experiments, sights)
def test_every_status_adds_up(asked, found):
    plan = decide(asked, found, KNOWN, NOW)
    status = plan.status
    counts = status.runs.model_dump()
    assert counts.pop("total") == len(status.results) == sum(counts.values()) == 4
    assert status.phase.is_finished == all(row.state.is_finished for row in status.results)
    assert (plan.requeue_after is None) <= status.phase.is_finished
    assert ExperimentRunStatus.model_validate(status.to_dict()) == status
    for row in status.results:
        assert (row.state == "Failed") == (row.reason is not None)


@given(experiments, sights)
def test_the_same_sight_gives_the_same_plan(asked, found):
    shuffled = replace(found, tasks=tuple(reversed(found.tasks)))
    one, other = decide(asked, found, KNOWN, NOW), decide(asked, shuffled, KNOWN, NOW)
    assert one.status == other.status
    assert set(one.actions) == set(other.actions)
