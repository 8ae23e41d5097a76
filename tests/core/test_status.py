"""The status of an experiment."""

from datetime import timedelta

import pytest

from orchestrator.api.types import ExperimentRunStatus, Phase
from orchestrator.core.model import Outcome, Publish, TaskPhase, Verdict
from orchestrator.core.plan import decide
from tests.core.build import (
    BIRDS,
    HOUR,
    NOW,
    agent,
    experiment,
    facts,
    grade,
    graded,
    key,
    lost,
    prepare,
    run,
    seen,
)

GRADE = Outcome(Verdict.GRADE)
FAIL = Outcome(Verdict.FAIL, "NodeLost")
TWO = {"seeds": 2}
REJECTED = graded(valid=False, medal=None, score=None, above_median=False)


def status_of(found, known=BIRDS, **fields):
    return decide(experiment(**fields), found, known, NOW).status


@pytest.mark.parametrize(
    "found, fields, want",
    [
        pytest.param(seen(), {}, "Pending", id="nothing has begun"),
        pytest.param(seen(prepare(), prepared=frozenset()), {}, "Preparing", id="a dataset is being prepared"),
        pytest.param(seen(agent(phase=TaskPhase.QUEUED)), {}, "Running", id="an attempt has started"),
        pytest.param(seen(agent(), outcomes={key(1, seed=1): GRADE}), TWO, "Running", id="one runs, one is graded"),
        pytest.param(seen(grade(), outcomes={key(): GRADE}), {}, "Grading", id="all that is left is to grade"),
        pytest.param(seen(reports={run(): graded()}), {}, "Succeeded", id="every run is graded"),
        pytest.param(seen(reports={run(): REJECTED}), {}, "Succeeded", id="or has failed by its agent's fault"),
        pytest.param(
            seen(reports={run(): graded()}, outcomes={key(1, seed=1): FAIL}),
            TWO,
            "Degraded",
            id="finished, but a run is missing",
        ),
        pytest.param(seen(outcomes={key(): FAIL}), {}, "Failed", id="nothing could be run"),
        pytest.param(seen(agent()), {"suspend": True}, "Suspended", id="it is suspended"),
        pytest.param(
            seen(reports={run(): graded()}), {"suspend": True}, "Succeeded", id="what is finished stays finished"
        ),
        pytest.param(
            seen(grade(), outcomes={key(): GRADE}),
            {"suspend": True, "cancelled": True},
            "Grading",
            id="until cancelled",
        ),
        pytest.param(seen(), {"cancelled": True}, "Failed", id="cancelled before anything came out"),
        pytest.param(seen(reports={run(): graded()}), {"cancelled": True, **TWO}, "Degraded", id="cancelled half-way"),
    ],
)
def test_the_phase_of_an_experiment(found, fields, want):
    assert status_of(found, **fields).phase == want


def test_runs_are_counted_by_state():
    ids = [f"c{number}" for number in range(9)]
    phases = [TaskPhase.QUEUED, TaskPhase.STAGING, TaskPhase.RUNNING, TaskPhase.COLLECTING]
    found = seen(
        *(agent(1, id, phase=phase) for id, phase in zip(ids, phases, strict=False)),
        prepare(competition="c7"),
        prepared=frozenset(ids) - {"c7", "c8"},
        outcomes={key(1, "c4"): GRADE, key(1, "c5"): FAIL},
        reports={run("c6"): graded()},
    )
    counts = status_of(found, facts(*ids), competitions={"ids": ids}).runs
    assert counts.model_dump() == {
        "total": 9,
        "pending": 1,
        "preparing": 1,
        "queued": 1,
        "running": 3,
        "grading": 1,
        "graded": 1,
        "failed": 1,
    }


def test_a_row_says_what_came_out():
    (row,) = status_of(seen(reports={run(): graded(3, score=0.25, medal="gold")})).results
    assert row.model_dump() == {
        "competition": "birds",
        "seed": 0,
        "state": "Graded",
        "attempt": 3,
        "score": 0.25,
        "medal": "gold",
        "valid": True,
        "reason": None,
        "message": None,
    }


def test_unfinished_and_failed_rows_come_first_and_there_are_at_most_a_thousand():
    ids = [f"c{number:04d}" for number in range(1100)]
    found = seen(
        prepared=frozenset(ids),
        reports={run(id): graded() for id in ids[:1090]},
        outcomes={key(1, id): FAIL for id in ids[1090:1095]},
    )
    known = facts(*ids)
    rows = status_of(found, known, competitions={"split": "demo"}).results
    assert len(rows) == 1000
    assert [row.state for row in rows[:10]] == ["Queued"] * 5 + ["Failed"] * 5
    assert [row.competition for row in rows[10:]] == ids[:990]


def test_figures_count_complete_seeds_and_a_missing_run_leaves_its_seed_incomplete():
    known = facts("birds", "whales", splits=("high",))
    reports = {
        run("birds", 0): graded(medal="gold"),
        run("whales", 0): REJECTED,
        run("birds", 1): graded(medal="gold"),
        run("birds", 2): graded(medal=None),
        run("whales", 2): graded(medal="silver"),
    }
    found = seen(prepared=frozenset(known), reports=reports, outcomes={key(1, "whales", 1): FAIL})
    summary = status_of(found, known, competitions={"split": "high"}, seeds=3).summary
    assert list(summary) == ["high"]
    assert summary["high"].complete_seeds == 2
    assert summary["high"].any_medal_percent.mean == 50
    assert summary["high"].gold_percent.mean == 25
    assert summary["high"].valid_percent.mean == 75
    assert summary["high"].valid_percent.sem == 25


def test_a_result_that_a_retry_has_made_void_is_not_counted():
    found = seen(agent(2), outcomes={key(1): GRADE}, reports={run(): REJECTED})
    assert status_of(found).summary["demo"].complete_seeds == 0


def test_without_a_complete_seed_there_are_no_figures():
    assert status_of(seen()).summary["demo"].any_medal_percent is None


def test_an_experiment_that_cannot_be_run_says_why():
    status = status_of(seen(), competitions={"ids": ["brids"]})
    assert status.phase is Phase.FAILED
    complete = status.conditions[-1]
    assert (complete.type, complete.status, complete.reason) == ("Complete", "True", "SpecRefused")
    assert complete.message == "spec.competitions.ids: no competition 'brids' is known; did you mean birds?"
    assert status.observed_generation == 1


def test_what_has_come_out_stays_when_a_competition_is_not_known_any_more():
    before = status_of(seen(reports={run(): graded()}))
    after = decide(experiment(before), seen(reports={run(): graded()}), {}, NOW).status
    assert after.phase is Phase.FAILED
    assert (after.results, after.summary) == (before.results, before.summary)


@pytest.mark.parametrize(
    "found, fields, want",
    [
        pytest.param(
            seen(prepared=frozenset()), {}, ["False Preparing", "True Pending", "False Pending"], id="at the start"
        ),
        pytest.param(seen(agent()), {}, ["True Prepared", "True Running", "False Running"], id="while it runs"),
        pytest.param(
            seen(agent()),
            {"suspend": True},
            ["True Prepared", "False Suspended", "False Suspended"],
            id="while it is suspended",
        ),
        pytest.param(
            seen(reports={run(): graded()}),
            {},
            ["True Prepared", "False Succeeded", "True Succeeded"],
            id="when it has ended",
        ),
        pytest.param(
            seen(prepare(4, phase=TaskPhase.FAILED), prepared=frozenset()),
            {},
            ["False DatasetUnavailable", "False Failed", "True Failed"],
            id="when its dataset was given up",
        ),
    ],
)
def test_the_conditions_of_an_experiment(found, fields, want):
    conditions = status_of(found, **fields).conditions
    assert [condition.type for condition in conditions] == ["DatasetsReady", "Progressing", "Complete"]
    assert [f"{condition.status} {condition.reason}" for condition in conditions] == want


def test_rules_that_stand_in_the_way_are_told_before_their_turn_comes():
    status = status_of(seen(prepared=frozenset(), refused={"birds": "Join it at its page."}))
    assert "stand in the way of birds" in status.conditions[0].message
    assert [(row.state, row.message) for row in status.datasets] == [("Waiting", "Join it at its page.")]


def test_a_condition_keeps_the_time_of_its_last_change():
    before = status_of(seen(agent()))
    later = NOW + HOUR
    same = decide(experiment(before), seen(agent()), BIRDS, later).status
    assert same.conditions == before.conditions
    ended = decide(experiment(before), seen(reports={run(): graded()}), BIRDS, later).status
    assert [condition.last_transition_time for condition in ended.conditions] == [NOW, later, later]


def test_a_long_message_is_cut():
    ids = [f"unknown-{number}" for number in range(200)]
    message = status_of(seen(), competitions={"ids": ids}).conditions[-1].message
    assert len(message) == 1024
    assert message.endswith("…")


def test_nothing_changes_in_a_status_when_nothing_happens():
    for found in (seen(), seen(agent()), seen(reports={run(): graded()}), seen(outcomes={key(): lost()})):
        once = decide(experiment(), found, BIRDS, NOW).status
        assert decide(experiment(once), found, BIRDS, NOW + HOUR).status == once


def test_times_of_an_experiment():
    running = status_of(seen(agent(created_at=NOW - HOUR)))
    assert (running.started_at, running.finished_at) == (NOW - HOUR, None)
    ended = decide(experiment(running), seen(reports={run(): graded()}), BIRDS, NOW).status
    assert (ended.started_at, ended.finished_at) == (NOW - HOUR, NOW)
    retried = decide(experiment(ended), seen(agent(2), outcomes={key(1): GRADE}), BIRDS, NOW).status
    assert retried.finished_at is None


def test_the_status_says_where_the_report_is_once_it_is_there():
    found = seen(reports={run(): graded()})
    assert status_of(found).report is None
    published = seen(reports={run(): graded()}, report_is_published=True, report_url="s3://runs/report.json")
    assert status_of(published).report == "s3://runs/report.json"


def test_the_generation_that_was_seen_is_told():
    assert status_of(seen(), generation=7).observed_generation == 7


def publishes(found, **fields):
    return [a for a in decide(experiment(**fields), found, BIRDS, NOW).actions if isinstance(a, Publish)]


def test_the_report_is_published_once_every_run_has_ended():
    done = {"reports": {run(): graded()}}
    assert publishes(seen(agent())) == []
    (action,) = publishes(seen(**done))
    assert publishes(seen(**done, report_is_published=True, published_digest=action.digest)) == []


def test_the_report_is_published_again_when_a_retry_changed_it():
    (before,) = publishes(seen(reports={run(): REJECTED}))
    again = {"report_is_published": True, "published_digest": before.digest}
    assert publishes(seen(reports={run(): REJECTED}, **again)) == []
    (after,) = publishes(seen(reports={run(): graded(2)}, **again))
    assert after.digest != before.digest


def test_a_status_that_was_written_is_read_back_as_it_was():
    status = status_of(seen(agent(), reports={run(seed=1): graded()}), seeds=2)
    assert ExperimentRunStatus.model_validate(status.to_dict()) == status


def test_a_report_is_looked_for_right_after_it_is_published():
    assert decide(experiment(), seen(reports={run(): graded()}), BIRDS, NOW).requeue_after == timedelta(0)
