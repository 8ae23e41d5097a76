"""The check of what chaos leaves behind finds each thing that could be wrong."""

from dataclasses import replace

import pytest

from orchestrator.core.failures import Reason
from orchestrator.core.model import Outcome, RunKey, Verdict
from orchestrator.storage.filesystem import FileStore
from tests.cluster.chaos import draw_moments
from tests.cluster.chaos_check import Aftermath, problems
from tests.cluster.chaos_store import ReportLog, Write

GOOD, ZERO, RETRIED = RunKey("cactus", 0), RunKey("cactus", 1), RunKey("dogs", 0)
METRICS = """\
mlectl_runs{experiment="trial",fault="",namespace="team",reason="",state="Graded"} 2.0
mlectl_runs{experiment="trial",fault="agent",namespace="team",reason="AgentError",state="Failed"} 1.0
mlectl_runs{experiment="trial",fault="",namespace="team",reason="",state="Running"} 0.0
mlectl_consumed_budget_seconds{experiment="trial",namespace="team"} 6.0
"""


def report(attempt=1, score=0.5):
    return {
        "attempt": attempt,
        "score": score,
        "medal": "bronze" if score else None,
        "valid_submission": score is not None,
    }


def row(run, told):
    return {"competition": run.competition, "seed": run.seed, **told}


def outcome(verdict=Verdict.GRADE, reason=None):
    return Outcome(verdict, reason=reason, consumed_seconds=2.0)


def told_of(reports):
    return [row(run, one) for run, one in reports.items()]


REPORTS = {GOOD: report(), ZERO: report(score=None), RETRIED: report(attempt=2)}
OUTCOMES = {
    GOOD.attempt(1): outcome(),
    ZERO.attempt(1): outcome(reason=Reason.AGENT_ERROR),
    RETRIED.attempt(1): outcome(Verdict.RETRY, Reason.NODE_LOST),
    RETRIED.attempt(2): outcome(),
}
FINE = Aftermath(
    runs=frozenset(REPORTS),
    zeros=frozenset({ZERO}),
    stumbled=frozenset(),
    reports=REPORTS,
    writes={GOOD: [Write(1, is_new=None), Write(1, is_new=False)], ZERO: [Write(1, True)], RETRIED: [Write(2, True)]},
    outcomes=OUTCOMES,
    status={
        "phase": "Succeeded",
        "runs": {"total": 3, "graded": 2, "failed": 1},
        "results": told_of(REPORTS),
    },
    begun=list(OUTCOMES),
    metrics=METRICS,
    judged=3,
    published={"rows": told_of(REPORTS)},
)


def with_reports(**changes):
    """Doctored in the store and everywhere else, so that only the doctored thing can be noticed."""
    reports = REPORTS | changes.get("reports", {})
    return replace(
        FINE,
        reports=reports,
        status=FINE.status | {"results": told_of(reports)},
        published={"rows": told_of(reports)},
        **{key: value for key, value in changes.items() if key != "reports"},
    )


def test_nothing_is_said_when_all_is_well():
    assert problems(FINE) == []
    assert problems(replace(FINE, judged=4, is_judged_by_one=True)) == []


@pytest.mark.parametrize(
    ("found", "says"),
    [
        pytest.param(
            replace(FINE, reports={run: one for run, one in REPORTS.items() if run != GOOD}),
            "cactus seed 0 has no report",
            id="a run without a report",
        ),
        pytest.param(
            replace(FINE, reports=REPORTS | {RunKey("cats", 0): report()}),
            "cats seed 0 has a report that nobody asked for",
            id="a report without a run",
        ),
        pytest.param(
            replace(FINE, writes={GOOD: [Write(1, True), Write(1, True)]}),
            "written more than once",
            id="a run that was graded twice",
        ),
        pytest.param(
            replace(FINE, writes={GOOD: [Write(1, True), Write(2, None, replaces=True)]}),
            "written more than once",
            id="a report that was replaced",
        ),
        pytest.param(
            replace(FINE, writes={GOOD: [Write(1, False)]}), "that no grader wrote", id="a report from nowhere"
        ),
        pytest.param(
            with_reports(reports={GOOD: report(score=None)}),
            "cactus seed 0 is a zero, and its agent did its work",
            id="a fault of the machine as a zero",
        ),
        pytest.param(
            with_reports(reports={ZERO: report()}),
            "cactus seed 1 is not a zero",
            id="a score for an agent that left nothing",
        ),
        pytest.param(
            replace(FINE, outcomes=OUTCOMES | {GOOD.attempt(1): outcome(reason=Reason.OOM_KILLED)}),
            "cactus seed 0 attempt 1 is held against its agent: OOMKilled",
            id="a fault that the agent did not make",
        ),
        pytest.param(
            replace(FINE, outcomes=OUTCOMES | {RETRIED.attempt(1): outcome()}),
            "dogs seed 0 was judged grade, grade",
            id="two attempts of a run graded",
        ),
        pytest.param(
            replace(FINE, outcomes=OUTCOMES | {GOOD.attempt(3): outcome()}),
            "gaps in its history",
            id="an attempt that was never judged",
        ),
        pytest.param(
            with_reports(reports={RETRIED: report(attempt=1)}),
            "dogs seed 0 was graded for attempt 1 of 2",
            id="an attempt that was given up is graded",
        ),
        pytest.param(
            replace(FINE, begun=[*OUTCOMES, GOOD.attempt(1)]), "attempt 1 began in 2 pods", id="an agent that ran twice"
        ),
        pytest.param(
            replace(FINE, status=FINE.status | {"phase": "Degraded"}), "is Degraded", id="an experiment that failed"
        ),
        pytest.param(
            replace(FINE, status=FINE.status | {"runs": {"total": 3, "graded": 3, "failed": 0}}),
            "The status counts",
            id="a status that counts otherwise",
        ),
        pytest.param(
            replace(FINE, status=FINE.status | {"results": told_of(REPORTS | {GOOD: report(score=0.6)})}),
            "the status tells (1, 0.6",
            id="a status that tells another score",
        ),
        pytest.param(
            replace(
                FINE,
                status=FINE.status
                | {"results": [one | {"state": "Failed", "reason": "NodeLost"} for one in told_of(REPORTS)[:1]]},
            ),
            "has failed by NodeLost",
            id="a run that failed by a lost node",
        ),
        pytest.param(
            replace(FINE, published={"rows": told_of(REPORTS)[1:]}),
            "cactus seed 0: the report tells (None",
            id="a report that leaves a run out",
        ),
        pytest.param(
            replace(FINE, metrics=METRICS.replace(" 2.0", " 1.0")), "The metrics show", id="a gauge that is behind"
        ),
        pytest.param(
            replace(FINE, metrics=METRICS.replace('fault="agent"', 'fault="infrastructure"')),
            "The metrics show",
            id="a gauge that names another fault",
        ),
        pytest.param(
            replace(FINE, metrics=METRICS.replace(" 6.0", " 4.0")), "4.00 s of agent time", id="agent time that is lost"
        ),
        pytest.param(replace(FINE, judged=5), "count 5 attempts judged", id="an attempt that was counted twice"),
        pytest.param(
            replace(FINE, judged=3, is_judged_by_one=True), "count 3 attempts", id="an attempt that was not counted"
        ),
        pytest.param(replace(FINE, jobs=["mlectl-a"]), "Job mlectl-a is left over", id="a Job that is left"),
    ],
)
def test_what_is_wrong_is_found(found, says):
    told = problems(found)
    assert len([problem for problem in told if says in problem]) == 1, told


def test_every_try_to_write_a_report_is_noted(tmp_path):
    log = ReportLog(FileStore(tmp_path))
    first = b'{"competition_id": "cactus", "seed": 0, "attempt": 1}'
    assert log.write_new("x/reports/cactus/seed-0.json", first)
    assert not log.write_new("x/reports/cactus/seed-0.json", first)
    log.write("x/reports/cactus/seed-0.json", first)
    log.write("x/runs/cactus/seed-0/attempt-1/run.json", b"{}")
    assert log.writes == {
        GOOD: [Write(1, is_new=True), Write(1, is_new=False), Write(1, is_new=None, replaces=True)],
    }


def test_a_seed_is_the_same_faults_every_time():
    assert draw_moments(7) == draw_moments(7) != draw_moments(8)
    assert {moment.what for moment in draw_moments(7)} > {"kill_controller", "crash_etcd", "lose_node", "slow_store"}
    assert not any("controller" in moment.what for moment in draw_moments(7, kills=False))
