"""What went wrong, by class, and what became of each run."""

from orchestrator.core.model import Outcome, Verdict

SPOOKY, CACTUS, PIZZA = "spooky-author-identification", "aerial-cactus-identification", "random-acts-of-pizza"


def classes(lab):
    return {
        one.reason: [(attempt.competition, attempt.seed, attempt.attempt, attempt.effect) for attempt in one.attempts]
        for one in lab.result().failures
    }


def test_nothing_wrong_is_nothing_listed(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.graded(SPOOKY, 0, 0.2)
    assert classes(lab) == {}


def test_each_way_to_fail_says_what_became_of_the_run(make_lab):
    lab = make_lab({"ids": [SPOOKY, CACTUS, PIZZA]}, seeds=2)
    lab.lost(SPOOKY, 0, attempt=1, last=False)
    lab.graded(SPOOKY, 0, 0.2, attempt=2)
    lab.graded(SPOOKY, 1, 0.2, outcome=Outcome(Verdict.GRADE, "AgentError", "Exit code 3."))
    lab.graded(CACTUS, 0, None)
    lab.empty(CACTUS, 1)
    lab.lost(PIZZA, 0)
    lab.judge(PIZZA, 1, 1, Outcome(Verdict.GRADE, "OOMKilled", "Killed."))
    assert classes(lab) == {
        "NodeLost": [(PIZZA, 0, 1, "no result"), (SPOOKY, 0, 1, "tried again")],
        "NoSubmission": [(CACTUS, 1, 1, "counted as a failure")],
        "InvalidSubmission": [(CACTUS, 0, 1, "counted as a failure")],
        "OOMKilled": [(PIZZA, 1, 1, "still open")],
        "AgentError": [(SPOOKY, 1, 1, "graded on what it left")],
    }


def test_an_attempt_that_is_about_to_be_repeated_is_tried_again(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.lost(SPOOKY, 0, last=False)
    assert classes(lab) == {"NodeLost": [(SPOOKY, 0, 1, "tried again")]}


def test_classes_that_cost_a_result_come_first_with_what_to_do(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=3)
    lab.graded(SPOOKY, 0, None)
    lab.lost(SPOOKY, 1, reason="ImagePull")
    lab.lost(SPOOKY, 2, attempt=1, reason="Disrupted", last=False)
    lab.graded(SPOOKY, 2, 0.2, attempt=2)
    failures = lab.result().failures
    assert [(one.reason, one.fault) for one in failures] == [
        ("ImagePull", "infrastructure"),
        ("InvalidSubmission", "agent"),
        ("Disrupted", "infrastructure"),
    ]
    assert failures[0].what_to_do.startswith("Check spec.agent.image")


def test_a_reason_of_a_newer_version_is_shown_and_not_the_agents(make_lab):
    lab = make_lab({"ids": [SPOOKY]}, seeds=1)
    lab.judge(SPOOKY, 0, 1, Outcome(Verdict.FAIL, "SolarFlare", "Bits flipped."))
    (one,) = lab.result().failures
    assert (one.reason, one.fault) == ("SolarFlare", "infrastructure")
    assert "Upgrade mlectl" in one.what_to_do
