"""How a score becomes a report: submissions missing, invalid and valid, scores without a number, defects of ours."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import ModuleType

import pytest

import catalog
import graders
from graders.toolkit import Entry

REFERENCE_KEYS = [
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
]


@pytest.fixture
def graded_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Entry], float]], None]:
    """Let a function be the grader of demo-tumours, where higher is better: gold 0.9, silver 0.8, bronze 0.7."""

    def use(score: Callable[[Entry], float]) -> None:
        module = ModuleType("a_grader")
        module.score = score  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "a_grader", module)
        competition = dataclasses.replace(
            catalog.load("demo-tumours"),
            grader="a_grader:score",
            medals=catalog.MedalLines(gold=0.9, silver=0.8, bronze=0.7, median=0.5, teams=100),
            percentiles=tuple(1 - k / 100 for k in range(101)),
        )
        monkeypatch.setattr(catalog, "load", lambda _: competition)

    return use


@pytest.fixture
def grade(tmp_path: Path) -> Callable[[], graders.Report]:
    (tmp_path / "submission.csv").write_text("id,malignant\na,1\n")
    (tmp_path / "answers.csv").write_text("id,malignant\na,1\n")
    return lambda: graders.grade("demo-tumours", tmp_path / "submission.csv", tmp_path)


@pytest.mark.parametrize(
    ("exact", "score", "medal", "above_median"),
    [
        pytest.param(0.899996, 0.9, "gold", True, id="the rounded score counts"),
        pytest.param(0.8999949, 0.89999, "silver", True, id="rounded down"),
        pytest.param(0.7, 0.7, "bronze", True, id="on the line"),
        pytest.param(0.500004, 0.5, None, False, id="the median is not beaten by a rounded tie"),
        pytest.param(-3.0, -3.0, None, False, id="below everything"),
    ],
)
def test_a_score_is_rounded_and_held_against_the_lines(
    exact: float,
    score: float,
    medal: str | None,
    above_median: bool,
    graded_by: Callable[..., None],
    grade: Callable[[], graders.Report],
) -> None:
    graded_by(lambda _: exact)

    report = grade()

    assert (report.score, report.medal, report.above_median) == (score, medal, above_median)
    assert report.valid
    assert report.submission_exists
    assert report.reason is None
    assert [report.gold_medal, report.silver_medal, report.bronze_medal].count(True) == report.any_medal


@pytest.mark.parametrize("exact", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_finite_number_is_valid_and_wins_nothing(
    exact: float, graded_by: Callable[..., None], grade: Callable[[], graders.Report]
) -> None:
    graded_by(lambda _: exact)

    report = grade()

    assert report.valid
    assert report.score is None
    assert report.medal is None
    assert not report.above_median
    assert report.percentile is None
    assert f"not a finite number ({exact})" in str(report.reason)
    assert json.loads(report.to_json())["score"] is None


def test_a_refusal_is_an_invalid_submission_with_its_reason(
    graded_by: Callable[..., None], grade: Callable[[], graders.Report]
) -> None:
    def refuse(_: Entry) -> float:
        raise graders.InvalidSubmission(
            graders.Reason.BAD_SUM, "2 rows do not sum to 1.", found=["0.5 (row 1)"], hint="divide by the sum"
        )

    graded_by(refuse)

    report = grade()

    assert not report.valid
    assert report.submission_exists
    assert report.score is None
    assert report.reason == "2 rows do not sum to 1. Found 0.5 (row 1). Try: divide by the sum."
    assert report.rejection == {
        "reason": "BadSum",
        "problem": "2 rows do not sum to 1.",
        "examples": ["0.5 (row 1)"],
        "expected": None,
        "hint": "divide by the sum",
    }


def test_any_other_exception_is_a_defect_of_ours_and_no_verdict(
    graded_by: Callable[..., None], grade: Callable[[], graders.Report]
) -> None:
    def crash(_: Entry) -> float:
        raise ZeroDivisionError("division by zero")

    graded_by(crash)

    with pytest.raises(graders.GraderError, match=r"demo-tumours \(v1\) failed with ZeroDivisionError") as failed:
        grade()
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def test_missing_answers_are_a_defect_of_ours(tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text("id,malignant\na,1\n")

    with pytest.raises(graders.GraderError, match="The answers can't be read"):
        graders.grade("demo-tumours", tmp_path / "submission.csv", tmp_path / "nothing")


def test_a_grader_that_is_not_there_is_a_defect_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    competition = dataclasses.replace(catalog.load("demo-tumours"), grader="no_such_module:score")
    monkeypatch.setattr(catalog, "load", lambda _: competition)
    (tmp_path / "submission.csv").touch()

    with pytest.raises(graders.GraderError, match="demo-tumours has no grader"):
        graders.grade("demo-tumours", tmp_path / "submission.csv", tmp_path)


@pytest.mark.parametrize(
    ("name", "is_there", "reason"),
    [
        ("submission.csv", False, "Nothing was submitted: there is no file submission.csv."),
        ("submission.txt", True, "Nothing was submitted: submission.txt does not end in .csv."),
        ("submission.txt", False, "Nothing was submitted: there is no file submission.txt."),
    ],
)
def test_a_missing_file_or_one_of_another_ending_was_not_submitted(
    name: str, is_there: bool, reason: str, tmp_path: Path
) -> None:
    if is_there:
        (tmp_path / name).write_text("id,malignant\n")

    report = graders.grade("demo-tumours", tmp_path / name, tmp_path)

    assert not report.submission_exists
    assert not report.valid
    assert report.score is None
    assert report.reason == reason


@pytest.mark.parametrize("content", ["", 'id,"malig', "id\na\n"])
def test_a_file_that_can_not_be_read_or_lacks_columns_is_invalid(content: str, tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text(content)
    (tmp_path / "answers.csv").write_text("id,malignant\na,1\n")

    report = graders.grade("demo-tumours", tmp_path / "submission.csv", tmp_path)

    assert report.submission_exists
    assert not report.valid
    assert report.reason


def test_a_link_to_the_answers_is_refused_and_not_graded(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("id,malignant\na,1\nb,0\n")
    (tmp_path / "submission.csv").symlink_to(tmp_path / "answers.csv")

    report = graders.grade("demo-tumours", tmp_path / "submission.csv", tmp_path)

    assert report.submission_exists
    assert not report.valid
    assert report.rejection is not None
    assert report.rejection["reason"] == "NotAPlainFile"


def test_warnings_mark_a_run_as_suspect(graded_by: Callable[..., None], grade: Callable[[], graders.Report]) -> None:
    def warn(entry: Entry) -> float:
        entry.warn("Boxes with nan count as hits.")
        entry.warn("Boxes with nan count as hits.")
        return 0.75

    graded_by(warn)

    report = grade()

    assert report.warnings == ("Boxes with nan count as hits.",)
    assert report.suspect
    assert report.medal == "bronze"


def test_the_version_reaches_the_grader_and_the_report(
    graded_by: Callable[..., None], grade: Callable[[], graders.Report], tmp_path: Path
) -> None:
    graded_by(lambda entry: {"v1": 0.1, "v2": 0.2}[entry.version])

    assert grade().score == 0.1
    report = graders.grade("demo-tumours", tmp_path / "submission.csv", tmp_path, version="v2")
    assert (report.score, report.version) == (0.2, "v2")
    with pytest.raises(ValueError, match="There is no version 'v3'"):
        graders.grade("demo-tumours", tmp_path / "submission.csv", tmp_path, version="v3")


def test_a_report_s_json_has_the_reference_s_keys_first_and_comes_back_the_same(
    graded_by: Callable[..., None], grade: Callable[[], graders.Report], tmp_path: Path
) -> None:
    graded_by(lambda _: 0.85)
    report = grade()

    data = json.loads(report.to_json())

    assert list(data)[: len(REFERENCE_KEYS)] == REFERENCE_KEYS
    assert data["silver_medal"] is True
    assert data["valid_submission"] is True
    assert data["is_lower_better"] is False
    assert data["submission_path"] == str(tmp_path / "submission.csv")
    assert datetime.fromisoformat(data["created_at"]) == report.created_at
    assert graders.Report.from_json(report.to_json()) == report


def test_a_reference_report_is_read_without_our_keys(
    graded_by: Callable[..., None], grade: Callable[[], graders.Report]
) -> None:
    graded_by(lambda _: 0.85)
    data = json.loads(grade().to_json())

    report = graders.Report.from_data({key: data[key] for key in REFERENCE_KEYS})

    assert (report.medal, report.score, report.valid, report.reason) == ("silver", 0.85, True, None)


def test_validation_tells_valid_or_why_not_and_never_a_score(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("id,malignant\na,1\nb,0\n")
    submission = tmp_path / "submission.csv"

    submission.write_text("id,malignant\nb,0.123\na,0.987\n")
    assert graders.validate("demo-tumours", submission, tmp_path) is None

    submission.write_text("id,malignant\nb,0.123\na,9.87\n")
    rejected = graders.validate("demo-tumours", submission, tmp_path)
    assert isinstance(rejected, graders.InvalidSubmission)
    assert "not between 0 and 1" in str(rejected)

    submission.unlink()
    missing = graders.validate("demo-tumours", submission, tmp_path)
    assert missing is not None
    assert missing.reason == "NotAPlainFile"


def test_importing_graders_is_quick() -> None:
    code = "import sys, graders; print({'pandas', 'numpy', 'scipy'} & set(sys.modules) or 'none')"
    listed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert listed.stdout.strip() == "none"
