import json
from pathlib import Path

import pytest

import catalog
from orchestrator.api.key import Key
from orchestrator.cluster.local.experiments import ExperimentFolder
from orchestrator.report.aggregate import aggregate
from tests.cli.conftest import experiment
from tests.cli.stored import StoredExperiment

DIGITS = "demo-digits"


def lines_of(competition):
    medals = catalog.load(competition).medals
    return {f"{name}_threshold": getattr(medals, name) for name in ("gold", "silver", "bronze", "median")}


@pytest.fixture
def stored(home, keep):
    """Builds an experiment on demo-digits with two seeds in home and store; medals as given, one a seed."""

    def build(name="first", medals=("gold", None), isolation="namespaces", budget="8s"):
        rows = [{"competition": DIGITS, "seed": seed, "state": "Graded", "attempt": 1} for seed in range(len(medals))]
        counts = {"total": len(medals), "graded": len(medals)}
        wanted = experiment(
            name,
            competitions={"ids": [DIGITS]},
            seeds=len(medals),
            budget={"wallClock": budget},
            status={"phase": "Succeeded", "runs": counts, "results": rows},
        )
        writer = StoredExperiment(home, keep(wanted))
        for seed, medal in enumerate(medals):
            writer.attempt(DIGITS, seed, log=f"seed {seed}\n\x1b[31mred\x1b[0m\n", isolation=isolation)
            writer.report(DIGITS, seed, 0.99 if medal else 0.5, medal, **lines_of(DIGITS))
        return writer

    return build


def test_a_report_tells_what_the_store_holds(mlectl, stored):
    stored()
    answer = mlectl("report", "first")
    assert answer.code == 0
    assert "2 of 2 runs with a result" in answer.out
    assert "8s a run (published: 24h)" in answer.out
    figures = json.loads(mlectl("report", "first", "-o", "json").out)["figures"]
    assert figures[0]["any_medal"]["mean"] == 50.0


def test_a_report_json_from_elsewhere_is_shown_too(mlectl, stored, tmp_path):
    stored()
    path = tmp_path / "report.json"
    path.write_text(mlectl("report", "first", "-o", "json").out)
    assert mlectl("report", path).out == mlectl("report", "first").out


def test_the_page_is_written_where_it_is_wanted(mlectl, stored, tmp_path):
    stored()
    answer = mlectl("report", "first", "--html", "--to", tmp_path / "page.html")
    assert answer.out == f"{tmp_path / 'page.html'}\n"
    assert "<html" in (tmp_path / "page.html").read_text()
    assert mlectl("report", "first", "--to", tmp_path / "page.html").code == 2


def test_an_unprotected_experiment_says_so_in_every_place_that_shows_its_score(mlectl, stored):
    stored(isolation="unprotected")
    for command in (["report", "first"], ["runs", "first"]):
        assert "unprotected" in mlectl(*command).out
    assert "unprotected" in mlectl("leaderboard", "first", "--split", "low").out


def test_failures_come_from_the_store(mlectl, stored):
    stored()
    assert mlectl("failures", "first").out == "Nothing went wrong in first.\n"


def test_two_experiments_are_compared_run_by_run(mlectl, stored):
    stored("first", medals=(None, None))
    stored("second", medals=("gold", "silver"), budget="16s")
    answer = mlectl("compare", "first", "second")
    assert answer.code == 0
    assert "+100.00 ± 0.00" in answer.out
    assert "Different time of a run: first 8 s, second 16 s." in answer.out
    as_data = json.loads(mlectl("compare", "first", "second", "-o", "json").out)
    assert (as_data["pairs"], as_data["better_b"]) == (2, 1)


def test_a_comparison_as_people_see_it(mlectl, stored, expect_screen):
    stored("first", medals=("bronze", None, None))
    stored("second", medals=("gold", "silver", None))
    expect_screen("compare", mlectl("compare", "first", "second").out)


def test_an_experiment_is_exported_as_run_groups(mlectl, stored, tmp_path):
    stored()
    answer = mlectl("export", "first", tmp_path / "out")
    assert answer.code == 0
    assert answer.err == "Wrote 2 runs of first.\n"
    groups = [Path(line) for line in answer.out.splitlines()]
    assert [group.name.rpartition("-seed-")[2] for group in groups] == ["0", "1"]
    assert all((group / "submission.jsonl").is_file() for group in groups)
    again = mlectl("export", "first", tmp_path / "out")
    assert again.code == 2
    assert "is there already" in again.err


def test_exported_reports_give_the_same_figures(mlectl, stored, tmp_path):
    stored()
    mlectl("export", "first", tmp_path / "out")
    reports = sorted((tmp_path / "out").glob("*/grading_report.json"))
    (split,) = aggregate(reports, pad_missing=True).splits
    assert split.per_seed == (25.0, 0.0)


def test_a_log_is_shown_without_what_acts_on_a_terminal(mlectl, stored):
    stored()
    assert mlectl("logs", "first", DIGITS, "0").out == "seed 0\nred\n"
    assert mlectl("logs", "first", DIGITS, "1", "--tail", "1").out == "red\n"
    assert json.loads(mlectl("logs", "first", DIGITS, "0", "-o", "json").out)["log"] == "seed 0\nred\n"


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["demo-digit", "0"], 2, "Did you mean demo-digits?"),
        (["demo-digits", "7"], 2, "has seeds 0 to 1, not 7"),
        (["demo-digits", "0", "--attempt", "3"], 2, "demo-digits, seed 0 has attempt 1 alone, and no 3."),
        (["demo-digits", "0", "--pod"], 3, "the task is no longer kept"),
        (["demo-digits", "0", "--follow", "-o", "json"], 2, "--follow"),
    ],
)
def test_a_log_that_is_not_there_is_told_in_a_sentence(mlectl, stored, arguments, code, words):
    stored()
    answer = mlectl("logs", "first", *arguments)
    assert answer.code == code
    assert words in answer.err


def test_runs_beyond_what_a_status_holds_come_from_the_store(mlectl, stored, home, keep):
    stored("many", medals=("gold", None, "silver"))
    folder = ExperimentFolder(home.experiments)
    run = folder.get(Key("default", "many"))
    folder.write_status(Key("default", "many"), run.status.model_copy(update={"results": run.status.results[:1]}))
    rows = json.loads(mlectl("runs", "many", "-o", "json").out)
    assert [(row["seed"], row.get("medal")) for row in rows] == [(0, "gold"), (1, None), (2, "silver")]


def test_published_figures_are_shown_without_an_experiment(mlectl):
    answer = mlectl("leaderboard", "--split", "lite", "-o", "json")
    assert json.loads(answer.out)["split"] == "low"
    assert len(mlectl("leaderboard").out.splitlines()) > 20


def test_a_file_that_is_no_report_is_refused(mlectl, tmp_path):
    path = tmp_path / "report.json"
    path.write_text("{}")
    answer = mlectl("aggregate", path)
    assert answer.code == 2
    assert "competition_reports" in answer.err
