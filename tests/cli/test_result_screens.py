import pytest

from orchestrator.api.types import ExperimentRunStatus
from orchestrator.cli.screens.aggregate import show_aggregate
from orchestrator.cli.screens.failures import show_failures
from orchestrator.cli.screens.figures import show_figures
from orchestrator.cli.screens.leaderboard import show_board
from orchestrator.cli.screens.report import show_report
from orchestrator.cli.screens.run import show_end
from orchestrator.report.aggregate import Aggregate
from orchestrator.report.leaderboard import Leaderboard, Place
from orchestrator.report.result import Missing
from tests.cli import results


@pytest.mark.parametrize(
    "name, result",
    [
        ("report", results.result()),
        ("report-demo", results.demo_result()),
        ("report-doubtful", results.doubtful_result()),
    ],
)
def test_a_result_as_people_see_it(expect_screen, name, result):
    expect_screen(name, show_report(result))


def test_an_unprotected_result_is_never_shown_without_that_word():
    assert "unprotected" in show_report(results.result(unprotected=True)).splitlines()[1]


def test_departures_stand_beside_the_figures():
    assert "setting   8s a run (published: 24h)" in show_report(results.demo_result())


def test_scores_of_many_seeds_are_a_range():
    rows = tuple(results.row("AI4Code", seed, None if seed == 7 else seed / 10) for seed in range(8))
    shown = show_report(results.result(competitions=(results.facts("AI4Code"),), rows=rows, seeds=8))
    assert "0 to 0.6, 1 without" in shown


def test_text_of_an_agent_cannot_act_on_the_terminal():
    evil = results.failure("AgentError", results.failed("AI4Code", 0, "\x1b[2Jgone\x07\nand more"))
    assert "gone and more" in show_failures("aide-lite", [evil])
    assert "\x1b" not in show_failures("aide-lite", [evil])


def test_the_end_of_a_run_as_people_see_it(expect_screen):
    status = ExperimentRunStatus(phase="Succeeded")
    expect_screen("run-end", show_end(results.demo_result(), status, "/home/me/report.html"))


def test_failures_as_people_see_them(expect_screen):
    found = [
        *results.result().failures,
        results.failure(
            "InvalidSubmission",
            results.failed("leaf-classification", 0, "2 of 99 ids are unknown.", "counted as a failure"),
        ),
    ]
    expect_screen("failures", show_failures("aide-lite", found))


def test_an_experiment_in_which_nothing_went_wrong_says_so():
    assert show_failures("demo", []) == "Nothing went wrong in demo.\n"


def test_figures_as_people_see_them(expect_screen):
    missing = tuple(Missing(seed=seed, competitions=("a", "b", "c", "d")) for seed in range(2))
    splits = [results.split(), results.split("medium", seeds=1), results.split("high", seeds=0, missing=missing)]
    expect_screen("figures", show_figures(splits))


def test_padded_figures_carry_a_mark():
    assert "*" in show_figures([results.split(padded=True)]).splitlines()[1]


def test_an_aggregate_as_people_see_it(expect_screen):
    note = "Not in any split, so in no figure: " + ", ".join(["spaceship-titanic"] * 8) + "."
    expect_screen("aggregate", show_aggregate(Aggregate(seeds=("a.json",), splits=(results.split(),), notes=(note,))))


def place(rank, agent, mean, **more):
    values = {"models": "gpt-x", "sem": 1.0, "hours": 24, "date": "2026-01-01", **more}
    return Place(rank=rank, agent=agent, mean=mean, **values)


def test_a_board_as_people_see_it(expect_screen):
    board = Leaderboard(
        split="low",
        experiment="aide-lite",
        reasons=("Another setting: 8s a run (published: 24h).", "It ran unprotected."),
        places=(
            place(1, "Best", 70.0, notes=("missing runs counted as failures",)),
            place(None, "aide", 60.0, is_experiment=True, date="this experiment", hours=None),
            place(2, "Second", 50.0),
        ),
    )
    expect_screen("leaderboard", show_board(board))


def test_an_experiment_without_a_figure_is_not_on_the_board():
    board = Leaderboard(split="all", experiment="aide-lite", places=(place(1, "Best", 70.0),))
    assert "aide-lite has no figure for split all yet." in show_board(board)
