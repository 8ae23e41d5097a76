"""Where a run stands, by what was seen of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.api.types import RunState
from orchestrator.core.datasets import look_at_datasets
from orchestrator.core.history import gather
from orchestrator.core.model import Ending, Outcome, TaskPhase, Verdict
from orchestrator.core.situation import Situation
from orchestrator.core.state import Need, read_states
from orchestrator.core.status import MOST_LETTERS, choose_rows
from tests.core.build import MINUTE, NOW, agent, experiment, grade, graded, key, lost, prepare, record, run, seen

GRADE = Outcome(Verdict.GRADE)
FAIL = Outcome(Verdict.FAIL, "NodeLost", "gone")
FAILED = {"phase": TaskPhase.FAILED}
UNPREPARED = {"prepared": frozenset()}
SPENT_GRADES = [grade(1, number, message="boom", **FAILED) for number in (1, 2, 3, 4)]


def state_of(found, **fields):
    asked = experiment(**fields)
    situation = Situation(asked, found, NOW)
    histories = gather([run()], asked, found)
    datasets = look_at_datasets(["birds"], histories.values(), situation)
    (state,) = read_states(histories.values(), datasets, situation)
    return state


@pytest.mark.parametrize(
    "found, want",
    [
        pytest.param(seen(**UNPREPARED), "Pending", id="nobody has begun to prepare its dataset"),
        pytest.param(seen(prepare(), **UNPREPARED), "Preparing", id="its dataset is being prepared"),
        pytest.param(seen(), "Queued", id="it waits for room"),
        pytest.param(seen(agent(phase=TaskPhase.QUEUED)), "Queued", id="its task waits for a node"),
        pytest.param(seen(agent(phase=TaskPhase.STAGING)), "Staging", id="its data is on the way"),
        pytest.param(seen(agent()), "Running", id="the agent runs"),
        pytest.param(seen(agent(phase=TaskPhase.COLLECTING)), "Collecting", id="its files are being collected"),
        pytest.param(seen(outcomes={key(): GRADE}), "Grading", id="it waits to be graded"),
        pytest.param(seen(grade(), outcomes={key(): GRADE}), "Grading", id="it is being graded"),
        pytest.param(seen(grade(**FAILED), outcomes={key(): GRADE}), "Grading", id="grading failed once"),
        pytest.param(seen(outcomes={key(): GRADE}, reports={run(): graded()}), "Graded", id="its report is there"),
        pytest.param(seen(reports={run(): graded()}), "Graded", id="its report is all that is left"),
        pytest.param(seen(outcomes={key(): lost()}), "Queued", id="the next attempt has not started"),
        pytest.param(seen(agent(2), outcomes={key(): lost()}), "Running", id="the next attempt runs"),
        pytest.param(
            seen(agent(2), outcomes={key(): lost()}, reports={run(): graded(1)}),
            "Running",
            id="a report about an older attempt does not count",
        ),
        pytest.param(
            seen(agent(1), agent(2, phase=TaskPhase.STAGING), records={key(1): record()}, outcomes={key(): lost()}),
            "Staging",
            id="an older attempt that came back is not looked at",
        ),
    ],
)
def test_where_an_unfinished_or_graded_run_stands(found, want):
    assert state_of(found).state == want
    assert state_of(found).reason is None


@pytest.mark.parametrize(
    "fields, want",
    [
        pytest.param({"phase": TaskPhase.QUEUED}, "no room", id="waits for a node"),
        pytest.param({"phase": TaskPhase.STAGING}, "no room", id="waits for its data"),
        pytest.param({"phase": TaskPhase.QUEUED, "created_at": NOW - 2 * MINUTE}, "", id="has not waited for long"),
        pytest.param({"phase": TaskPhase.RUNNING}, "", id="runs"),
    ],
)
def test_a_run_that_waits_says_for_what_after_some_minutes(fields, want):
    waiting = state_of(seen(agent(message="no room", **fields)))
    assert (waiting.message, waiting.reason) == (want, None)
    (row,) = choose_rows([waiting])
    assert row.message == (want or None)


def test_what_a_run_waits_for_is_cut_to_a_row():
    (row,) = choose_rows([state_of(seen(agent(phase=TaskPhase.QUEUED, message="x\n" * 5000)))])
    assert len(row.message) == MOST_LETTERS


def test_why_a_run_has_failed_is_not_repeated_in_its_row():
    """`mlectl failures` has it; a thousand rows of it would be too much for a status."""
    (row,) = choose_rows([state_of(seen(outcomes={key(): FAIL}))])
    assert (row.reason, row.message) == ("NodeLost", None)


@pytest.mark.parametrize(
    "found, want",
    [
        pytest.param(seen(outcomes={key(): FAIL}), "NodeLost", id="its retries are spent"),
        pytest.param(seen(*SPENT_GRADES, outcomes={key(): GRADE}), "GraderError", id="nobody could grade it"),
        pytest.param(
            seen(*(prepare(n, **FAILED) for n in (1, 2, 3, 4)), **UNPREPARED),
            "DatasetUnavailable",
            id="its dataset was given up",
        ),
    ],
)
def test_a_run_that_failed_through_no_fault_of_the_agent_is_missing(found, want):
    run_now = state_of(found)
    assert (run_now.state, run_now.reason) == (RunState.FAILED, want)
    assert run_now.is_missing


@pytest.mark.parametrize(
    "outcome, report, want",
    [
        pytest.param(GRADE, graded(valid=False, medal=None), "InvalidSubmission", id="its submission was rejected"),
        pytest.param(
            Outcome(Verdict.GRADE, "AgentError"),
            graded(valid=False, medal=None),
            "InvalidSubmission",
            id="a rejection is what counts, even after a crash",
        ),
        pytest.param(
            Outcome(Verdict.GRADE, "DeadlineWithoutSubmission"),
            graded(valid=False, medal=None, submitted=False),
            "DeadlineWithoutSubmission",
            id="it left nothing, and the outcome knows why",
        ),
        pytest.param(
            GRADE, graded(valid=False, medal=None, submitted=False), "NoSubmission", id="it left nothing after all"
        ),
    ],
)
def test_a_run_that_its_agent_failed_has_a_result(outcome, report, want):
    run_now = state_of(seen(outcomes={key(): outcome}, reports={run(): report}))
    assert (run_now.state, run_now.reason) == (RunState.FAILED, want)
    assert run_now.result == report
    assert not run_now.is_missing


@pytest.mark.parametrize(
    "found, need",
    [
        pytest.param(seen(outcomes={key(): FAIL}), Need.ATTEMPT, id="a lost run gets another attempt"),
        pytest.param(
            seen(outcomes={key(): GRADE}, reports={run(): graded(valid=False)}),
            Need.ATTEMPT,
            id="so does one that its agent failed",
        ),
        pytest.param(
            seen(*SPENT_GRADES, outcomes={key(): GRADE}), Need.GRADE, id="one that could not be graded is graded again"
        ),
        pytest.param(
            seen(outcomes={key(): GRADE}, reports={run(): graded()}), None, id="one that was graded stays as it is"
        ),
    ],
)
def test_what_a_persons_retry_does(found, need):
    assert state_of(found).need is None
    assert state_of(found, retry_after={run(): 1}, retry_asked_at=NOW).need is need


def test_a_persons_retry_is_about_one_attempt_only():
    again = seen(outcomes={key(1): FAIL, key(2): FAIL})
    assert state_of(again, retry_after={run(): 1}).state is RunState.FAILED
    assert state_of(again, retry_after={run(): 2}).state is RunState.QUEUED


@pytest.mark.parametrize(
    "found, want, reason",
    [
        pytest.param(seen(), "Failed", "Cancelled", id="a run that had not started"),
        pytest.param(seen(outcomes={key(): lost()}), "Failed", "Cancelled", id="a run between two attempts"),
        pytest.param(seen(agent()), "Running", None, id="a run that is being stopped"),
        pytest.param(seen(outcomes={key(): GRADE}), "Grading", None, id="a run that was collected is still graded"),
        pytest.param(seen(outcomes={key(): FAIL}), "Failed", "NodeLost", id="a run that had failed before"),
        pytest.param(seen(reports={run(): graded()}), "Graded", None, id="a run that was graded before"),
        pytest.param(
            seen(reports={run(): graded(valid=False)}), "Failed", "InvalidSubmission", id="and one that was rejected"
        ),
    ],
)
def test_what_cancelling_does_to_a_run(found, want, reason):
    for wishes in ({}, {run(): 1}):
        run_now = state_of(found, cancelled=True, retry_after=wishes)
        assert (run_now.state, run_now.reason) == (want, reason)


attempts = st.integers(1, 4)
outcomes = st.builds(
    Outcome, st.sampled_from(Verdict), st.sampled_from([None, "NodeLost", "NoSubmission"]), counts=st.booleans()
)
tasks = st.builds(
    agent,
    attempts,
    phase=st.sampled_from([phase for phase in TaskPhase if not phase.is_final]),
    ending=st.none() | st.just(Ending.DISRUPTED),
)


@given(
    st.lists(tasks, unique_by=lambda task: task.attempt),
    st.dictionaries(attempts, outcomes),
    st.none() | st.builds(graded, attempts, valid=st.booleans()),
    st.booleans(),
    st.none() | attempts,
)
def test_a_result_is_always_that_of_the_newest_attempt(found, judged, report, cancelled, wish):
    reports = {run(): report} if report else {}
    everything = seen(*found, outcomes={key(n): outcome for n, outcome in judged.items()}, reports=reports)
    run_now = state_of(everything, cancelled=cancelled, retry_after={run(): wish} if wish else {})
    known = [task.attempt for task in found] + list(judged) + ([report.attempt] if report else [])
    assert run_now.attempt == max(known, default=0)
    if run_now.result is not None:
        assert run_now.result.attempt == run_now.attempt
    if run_now.need is not None:
        assert not run_now.is_finished
