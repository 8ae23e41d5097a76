import json

from orchestrator.cli.screens.runs import show_runs
from tests.cli.conftest import experiment

STATUS = {
    "phase": "Degraded",
    "runs": {"total": 4, "graded": 2, "failed": 2},
    "results": [
        {"competition": "AI4Code", "seed": 1, "state": "Failed", "attempt": 4, "reason": "NodeLost"},
        {"competition": "leaf-classification", "seed": 0, "state": "Failed", "attempt": 1, "reason": "NoSubmission"},
        {"competition": "leaf-classification", "seed": 1, "state": "Graded", "attempt": 1, "score": 0.01234},
        {
            "competition": "AI4Code", "seed": 0, "state": "Graded", "attempt": 2, "score": 0.91, "medal": "gold",
            "valid": True,
        },
    ],
}  # fmt: skip


def test_runs_are_listed_seed_by_seed(mlectl, keep):
    keep(experiment(status=STATUS))
    rows = json.loads(mlectl("runs", "aide-lite", "-o", "json").out)
    assert [(row["seed"], row["competition"]) for row in rows] == [
        (0, "AI4Code"),
        (0, "leaf-classification"),
        (1, "AI4Code"),
        (1, "leaf-classification"),
    ]


def test_runs_can_be_chosen_by_state_and_competition(mlectl, keep):
    keep(experiment(status=STATUS))
    failed = json.loads(mlectl("runs", "aide-lite", "--state", "failed", "-o", "json").out)
    assert [row["reason"] for row in failed] == ["NoSubmission", "NodeLost"]
    of_one = json.loads(mlectl("runs", "aide-lite", "-c", "AI4Code", "-o", "json").out)
    assert {row["competition"] for row in of_one} == {"AI4Code"}


def test_runs_as_people_see_them(expect_screen):
    expect_screen("runs", show_runs(experiment(status=STATUS).status.results, 4))


def test_made_up_medals_and_unprotected_scores_say_so():
    shown = show_runs(experiment(status=STATUS).status.results, 4, is_demo=True, unprotected=True)
    assert "medal lines of demo competitions are made up" in shown
    assert "unprotected" in shown
