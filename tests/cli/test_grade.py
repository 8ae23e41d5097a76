import json
import shutil
from datetime import UTC, datetime

import pytest

import catalog
from graders import GraderError, Report
from orchestrator.cli.grading import grading_report, write_grading_report
from orchestrator.cli.screens.grade import show_grade, show_grading
from orchestrator.report.aggregate import aggregate
from orchestrator.storage.dataset import pack
from orchestrator.storage.open import open_store

REFERENCE_KEYS = {
    "competition_id",
    "score",
    "gold_threshold",
    "silver_threshold",
    "bronze_threshold",
    "median_threshold",
    "any_medal",
    "gold_medal",
    "silver_medal",
    "bronze_medal",
    "above_median",
    "submission_exists",
    "valid_submission",
    "is_lower_better",
    "created_at",
    "submission_path",
}


@pytest.fixture
def sample(demo_data, tmp_path):
    """The sample submission of demo-wine, as an agent could hand it in."""
    path = tmp_path / "submission.csv"
    shutil.copy(demo_data / "demo-wine" / "public" / catalog.load("demo-wine").sample_submission, path)
    return path


@pytest.fixture
def rejected(tmp_path):
    path = tmp_path / "rejected.csv"
    path.write_text("nothing\nof\nuse\n")
    return path


def test_a_sample_submission_is_valid(mlectl, demo_data, sample):
    answer = mlectl("validate", sample, "demo-wine", "--data", demo_data)
    assert (answer.code, answer.out) == (0, f"{sample} is valid.\n")


def test_a_rejected_submission_is_code_1_and_says_why(mlectl, demo_data, rejected):
    answer = mlectl("validate", rejected, "demo-wine", "--data", demo_data)
    assert answer.code == 1
    assert answer.out.startswith("Submission rejected: ")
    as_data = json.loads(mlectl("validate", rejected, "demo-wine", "--data", demo_data, "-o", "json").out)
    assert (as_data["valid"], as_data["rejection"]["reason"]) == (False, "MissingColumns")


def test_validation_says_nothing_about_the_score(mlectl, demo_data, sample):
    answer = json.loads(mlectl("validate", sample, "demo-wine", "--data", demo_data, "-o", "json").out)
    assert answer == {"competition": "demo-wine", "valid": True, "rejection": None}


def test_one_submission_is_graded(mlectl, demo_data, sample):
    answer = mlectl("grade-sample", sample, "demo-wine", "--data", demo_data, "-o", "json")
    report = json.loads(answer.out)
    assert answer.code == 0
    assert report.keys() >= REFERENCE_KEYS
    assert (report["valid_submission"], report["submission_path"]) == (True, str(sample))


def test_a_grade_of_a_demo_competition_says_that_its_lines_are_made_up(mlectl, demo_data, sample):
    assert "made up" in mlectl("grade-sample", sample, "demo-wine", "--data", demo_data).out


def test_an_invalid_submission_has_code_1(mlectl, demo_data, rejected):
    assert mlectl("grade-sample", rejected, "demo-wine", "--data", demo_data).code == 1


def test_answers_come_from_the_private_store(mlectl, home, demo_data, sample):
    unprepared = mlectl("grade-sample", sample, "demo-wine")
    assert unprepared.code == 3
    assert unprepared.err.strip().endswith("Prepare it with: mlectl prepare -c demo-wine")
    pack(demo_data / "demo-wine" / "private", open_store(home.stores.private), "answers/v1/demo-wine")
    assert mlectl("grade-sample", sample, "demo-wine").code == 0
    assert mlectl("grade-sample", sample, "demo-wine", "--benchmark", "v2").code == 3


def test_answers_do_not_stay_behind(mlectl, home, demo_data, sample, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    pack(demo_data / "demo-wine" / "private", open_store(home.stores.private), "answers/v1/demo-wine")
    assert mlectl("validate", sample, "demo-wine").code == 0
    assert list(scratch.iterdir()) == []


def test_a_folder_without_the_competition_says_how_to_make_it(mlectl, sample, tmp_path):
    answer = mlectl("validate", sample, "demo-wine", "--data", tmp_path)
    assert answer.code == 3
    assert f"mlectl prepare -c demo-wine --unpacked {tmp_path}" in answer.err


def test_an_unknown_competition_gets_its_nearest_name(mlectl, sample):
    answer = mlectl("grade-sample", sample, "demo-whine")
    assert answer.code == 2
    assert "did you mean demo-wine" in answer.err


def lines(path, *entries):
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def entry(path, competition="demo-wine"):
    return {"competition_id": competition, "submission_path": path and str(path)}


def test_many_submissions_become_one_report_that_aggregates(mlectl, demo_data, sample, rejected, tmp_path):
    submissions = lines(tmp_path / "submissions.jsonl", entry(sample), entry(rejected), entry(None), entry("gone.csv"))
    answer = mlectl("grade", "--submission", submissions, "--output-dir", tmp_path / "out", "--data", demo_data)
    (path,) = (tmp_path / "out").iterdir()
    assert answer.code == 0
    assert path.name.endswith("-GMT_grading_report.json")
    assert f"Wrote {path}" in answer.err
    content = json.loads(path.read_text())
    totals = {key: value for key, value in content.items() if key.startswith("total_")}
    assert totals == {
        "total_runs": 4,
        "total_runs_with_submissions": 2,
        "total_valid_submissions": 1,
        "total_medals": 0,
        "total_gold_medals": 0,
        "total_silver_medals": 0,
        "total_bronze_medals": 0,
        "total_above_median": 0,
    }
    assert [report["submission_exists"] for report in content["competition_reports"]] == [True, True, False, False]


def test_a_report_can_be_aggregated(mlectl, demo_data, sample, tmp_path):
    submissions = lines(tmp_path / "submissions.jsonl", entry(sample))
    mlectl("grade", "--submission", submissions, "--output-dir", tmp_path / "out", "--data", demo_data)
    (split,) = aggregate(list((tmp_path / "out").iterdir()), pad_missing=True).splits
    assert (split.split, split.valid.mean) == ("demo", 25.0)


def test_a_file_with_mistakes_lists_all_of_them_and_grades_nothing(mlectl, tmp_path, sample):
    submissions = tmp_path / "bad.jsonl"
    good = json.dumps(entry(sample))
    submissions.write_text(f'{good}\nnot json\n{{"a": 1}}\n\n{json.dumps(entry(sample, "demo-whine"))}\n[]\n')
    answer = mlectl("grade", "--submission", submissions, "--output-dir", tmp_path / "out")
    assert answer.code == 2
    assert "has 4 mistakes" in answer.err
    assert [line.split(":")[0].strip() for line in answer.err.splitlines()[1:]] == [
        "line 2",
        "line 3",
        "line 5",
        "line 6",
    ]
    assert not (tmp_path / "out").exists()


def test_an_empty_file_is_refused(mlectl, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    answer = mlectl("grade", "--submission", tmp_path / "empty.jsonl", "--output-dir", tmp_path)
    assert answer.code == 2
    assert "names no submission" in answer.err


def test_a_defect_of_a_grader_is_no_verdict_and_stops_no_other(mlectl, demo_data, sample, tmp_path, monkeypatch):
    calls = iter([GraderError("the grader failed"), None])

    def grade(competition, submission, answers, version):
        from graders import grade as really

        if (error := next(calls)) is not None:
            raise error
        return really(competition, submission, answers, version)

    monkeypatch.setattr("orchestrator.cli.grading.grade", grade)
    submissions = lines(tmp_path / "two.jsonl", entry(sample), entry(sample))
    answer = mlectl("grade", "--submission", submissions, "--output-dir", tmp_path / "out", "--data", demo_data)
    assert answer.code == 1
    assert "not graded: demo-wine" in answer.err
    (path,) = (tmp_path / "out").iterdir()
    assert json.loads(path.read_text())["total_runs"] == 1


def test_a_grading_report_is_never_written_over_another(tmp_path):
    now = datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC)
    paths = [write_grading_report(grading_report([]), tmp_path, now) for _ in range(2)]
    assert [path.name for path in paths] == [
        "2026-03-01T12-00-05-GMT_grading_report.json",
        "2026-03-01T12-00-05-GMT-2_grading_report.json",
    ]


def report(score=0.85, **more):
    values = {
        "competition_id": "AI4Code",
        "score": score,
        "valid": score is not None,
        "medal": None,
        "above_median": False,
        "gold_threshold": 0.9,
        "silver_threshold": 0.8,
        "bronze_threshold": 0.7,
        "median_threshold": 0.5,
        "lower_is_better": False,
        "submission_exists": True,
        "submission_path": "submission.csv",
        "created_at": datetime(2026, 3, 1, tzinfo=UTC),
        **more,
    }
    return Report(**values)


SILVER = report(medal="silver", above_median=True, percentile=93.25, warnings=("a box with nan counts as a hit",))
REJECTED = report(None, reason="2 of 3,325 ids are not in this competition. Try: \x1b[31mkeep ids.")


@pytest.mark.parametrize("name, graded", [("grade-silver", SILVER), ("grade-rejected", REJECTED)])
def test_a_grade_as_people_see_it(expect_screen, name, graded):
    expect_screen(name, show_grade(graded))


def test_grades_as_people_see_them(expect_screen):
    expect_screen("grade", show_grading([SILVER, REJECTED, report(0.1)]))
