"""What a person who watches is told."""

from orchestrator.core.events import of_judgement
from orchestrator.core.model import Ending, Event, Judge, Outcome, TaskPhase, Verdict
from orchestrator.core.plan import decide
from tests.core.build import BIRDS, NOW, agent, experiment, grade, graded, key, prepare, record, run, seen


def told(found, before=None, **fields):
    """The events of a reconcile that follows one which saw `before`."""
    status = decide(experiment(**fields), before, BIRDS, NOW).status if before else None
    plan = decide(experiment(status, **fields), found, BIRDS, NOW)
    judged = [event for action in plan.actions if isinstance(action, Judge) for event in of_judgement(action)]
    return (*judged, *plan.events)


RUNNING = seen(agent())


def test_a_lost_attempt_is_told_with_what_follows():
    events = told(seen(agent(ending=Ending.NODE_LOST, node="gpu-7")), RUNNING)
    assert events == (
        Event(
            "NodeLost",
            "birds, seed 0, attempt 1: The node that the attempt ran on was not heard of for too long. Node gpu-7. "
            "Attempt 2 follows.",
            is_warning=True,
        ),
    )


def test_a_run_without_retries_left_is_told_with_what_to_do():
    first, second = told(seen(agent(ending=Ending.IMAGE_PULL)), RUNNING, retries={"infrastructure": 0})
    assert first.message.endswith("Check spec.agent.image and the pull secret of the namespace; then retry the run.")
    assert second == Event("Failed", "1 run: 1 failed.", is_warning=True)


def test_a_crash_is_told_even_if_there_is_something_to_grade():
    (event, _) = told(seen(agent(phase=TaskPhase.FAILED), records={key(): record(exit_code=3)}), RUNNING)
    assert event.message == (
        "birds, seed 0, attempt 1: The agent ended with an error. Exit code 3. It is graded on what it left."
    )


def test_an_agent_that_is_done_is_no_news_until_it_is_graded():
    assert [event.reason for event in told(seen(agent(), records={key(): record()}), RUNNING)] == ["Grading"]


def test_a_graded_run_is_told_with_its_score_and_medal():
    grading = seen(grade(), outcomes={key(): Outcome(Verdict.GRADE)})
    events = told(seen(outcomes={key(): Outcome(Verdict.GRADE)}, reports={run(): graded()}), grading)
    assert events == (
        Event("Graded", "birds, seed 0: score 0.5, bronze medal."),
        Event("Succeeded", "1 run: 1 graded."),
    )


def test_a_rejected_submission_is_told_with_the_rule_that_it_broke():
    grading = seen(grade(), outcomes={key(): Outcome(Verdict.GRADE)})
    report = graded(valid=False, score=None, medal=None, reason="2 ids are not in this competition.")
    (event, _) = told(seen(outcomes={key(): Outcome(Verdict.GRADE)}, reports={run(): report}), grading)
    assert event == Event(
        "InvalidSubmission",
        "birds, seed 0: The submission was rejected; the report says which rule it broke. "
        "2 ids are not in this competition.",
        is_warning=True,
    )


def test_a_dataset_that_is_given_up_is_told():
    preparing = seen(prepare(), prepared=frozenset())
    given_up = seen(prepare(4, phase=TaskPhase.FAILED, message="Accept the rules."), prepared=frozenset())
    (event, _) = told(given_up, preparing)
    assert event.reason == "DatasetUnavailable"
    assert event.message.startswith(
        "birds, seed 0: The competition's dataset could not be fetched or prepared. Accept the rules. "
        "Run `mlectl prepare"
    )


def test_what_an_agent_wrote_cannot_move_the_cursor_of_a_terminal():
    grading = seen(grade(), outcomes={key(): Outcome(Verdict.GRADE)})
    report = graded(valid=False, score=None, medal=None, reason="found \x1b[2J\n'a1.png'")
    (event, _) = told(seen(outcomes={key(): Outcome(Verdict.GRADE)}, reports={run(): report}), grading)
    assert event.message.endswith("found [2J 'a1.png'")


def test_nothing_is_told_twice():
    for found in (RUNNING, seen(reports={run(): graded()}), seen(outcomes={key(): Outcome(Verdict.FAIL, "NodeLost")})):
        assert told(found, found) == ()


def test_a_refused_spec_is_told_once():
    wrong = {"competitions": {"ids": ["brids"]}}
    (event,) = told(seen(), **wrong)
    assert event.is_warning
    assert "did you mean birds?" in event.message
    assert told(seen(), seen(), **wrong) == ()
