"""What `mlectl grade` does: submissions in, one grading report out, in the shape that the reference harness writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from graders import GraderError, Report, grade
from orchestrator.cli.entries import Entry

Answers = Callable[[str], AbstractContextManager[Path]]
"""From a competition to its answers' folder, for as long as they are needed."""

NOWHERE = Path("not-submitted.csv")


@dataclass
class Graded:
    """What became of the submissions."""

    reports: list[Report] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    """Submissions that could not be graded through no fault of theirs."""


def grade_entries(
    entries: Sequence[Entry], answers: Answers, version: str, progress: Callable[[Entry], None] = lambda entry: None
) -> Graded:
    """Grade every submission, competition by competition, so that answers are fetched once; reports in their order."""
    found: dict[int, Report | str] = {}
    for competition in dict.fromkeys(entry.competition_id for entry in entries):
        with answers(competition) as folder:
            for place, entry in enumerate(entries):
                if entry.competition_id == competition:
                    found[place] = _grade(entry, folder, version)
                    progress(entry)
    graded = Graded()
    for place in range(len(entries)):
        one = found[place]
        if isinstance(one, Report):
            graded.reports.append(one)
        else:
            graded.errors.append(one)
    return graded


def _grade(entry: Entry, answers: Path, version: str) -> Report | str:
    try:
        return grade(entry.competition_id, entry.submission_path or NOWHERE, answers, version)
    except GraderError as error:
        return f"{entry.competition_id}, {entry.submission_path}: {error}"


def grading_report(reports: Iterable[Report]) -> dict[str, Any]:
    """Totals and reports, as the reference's grading report has them."""
    reports = list(reports)
    return {
        "total_runs": len(reports),
        "total_runs_with_submissions": sum(report.submission_exists for report in reports),
        "total_valid_submissions": sum(report.valid for report in reports),
        "total_medals": sum(report.any_medal for report in reports),
        "total_gold_medals": sum(report.gold_medal for report in reports),
        "total_silver_medals": sum(report.silver_medal for report in reports),
        "total_bronze_medals": sum(report.bronze_medal for report in reports),
        "total_above_median": sum(report.above_median for report in reports),
        "competition_reports": [report.as_data() for report in reports],
    }


def write_grading_report(content: dict[str, Any], folder: Path, now: datetime) -> Path:
    """Write it as `<timestamp>_grading_report.json`; never over another one."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    stem = f"{now:%Y-%m-%dT%H-%M-%S}-GMT"
    for suffix in ("", *(f"-{number}" for number in range(2, 1000))):
        path = folder / f"{stem}{suffix}_grading_report.json"
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            return path
        except FileExistsError:
            continue
    raise FileExistsError(f"{folder} has a thousand grading reports of this second")
