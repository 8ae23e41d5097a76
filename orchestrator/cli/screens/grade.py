"""The screens of `mlectl grade-sample` and `mlectl grade`."""

from __future__ import annotations

from collections.abc import Sequence

from graders import Report
from orchestrator.cli.text import table
from orchestrator.report.words import count, one_line, percent, score


def show_grade(report: Report, *, is_demo: bool = False) -> str:
    """One submission: its score, its medal, and the lines that it was held against."""
    if not report.valid:
        return f"{report.competition_id}   no valid submission\n  {one_line(report.reason or '', 1000)}\n"
    better = "lower is better" if report.lower_is_better else "higher is better"
    medal = f"{report.medal} medal" if report.medal else "no medal"
    above = "above the median" if report.above_median else "not above the median"
    beaten = f", beats {percent(report.percentile)} of human teams" if report.percentile is not None else ""
    lines = [
        f"{report.competition_id}   score {score(report.score)} ({better})   {medal}, {above}{beaten}",
        f"  gold {score(report.gold_threshold)}   silver {score(report.silver_threshold)}   "
        f"bronze {score(report.bronze_threshold)}   median {score(report.median_threshold)}",
        *([f"  {one_line(report.reason, 1000)}"] if report.reason else []),
        *(f"  suspect: {one_line(warning, 1000)}" for warning in report.warnings),
        *(["  demo: these medal lines are made up"] if is_demo else []),
    ]
    return "\n".join(lines) + "\n"


def show_grading(reports: Sequence[Report]) -> str:
    """A line for each submission, and the totals."""
    rows = [
        [
            report.competition_id,
            score(report.score),
            report.medal or "",
            "yes" if report.above_median else "",
            "" if report.valid else one_line(report.reason or "", 80),
        ]
        for report in reports
    ]
    medals = [report.medal for report in reports if report.medal]
    kinds = ", ".join(f"{medals.count(kind)} {kind}" for kind in ("gold", "silver", "bronze"))
    valid = sum(report.valid for report in reports)
    end = f"{count(len(reports), 'submission')}, {valid} valid, {count(len(medals), 'medal')} ({kinds})"
    head = ["COMPETITION", "SCORE", "MEDAL", "ABOVE MEDIAN", "WHY NOT"]
    return f"{table(head, rows, right=[1])}\n{end}\n"
