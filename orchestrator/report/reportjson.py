"""report.json: an ExperimentResult written down, and read back.

Beside the result it holds `grading_reports`: one object a seed in the reference's own shape, so that each can be handed
to the reference's tools as it is, and `mlectl aggregate report.json` gives the same figures again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from orchestrator.report.documents import CollectError
from orchestrator.report.result import SCHEMA, ExperimentResult, Facts, RunRow


def to_json(result: ExperimentResult) -> bytes:
    """The document. Equal results give equal bytes; NaN and infinities never appear in it."""
    content = result.model_dump(mode="json", by_alias=True) | {"grading_reports": grading_reports(result)}
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False).encode() + b"\n"


def from_json(data: bytes, source: str = "report.json") -> ExperimentResult:
    """The result that was written; `CollectError` says why it can't be read."""
    try:
        content = json.loads(data)
    except ValueError as error:
        raise CollectError(f"{source} is not JSON ({error}). Give an experiment's report.json.") from error
    found = content.get("schema") if isinstance(content, dict) else None
    if found != SCHEMA:
        raise CollectError(f"{source} has schema {found!r}, and this version of mlectl reads {SCHEMA!r}.")
    try:
        return ExperimentResult.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise CollectError(f"{source} is not a report: {where}: {first['msg'].lower()}.") from error


def grading_reports(result: ExperimentResult) -> list[dict[str, Any]]:
    """A reference grading report for each seed, of the runs that have a result."""
    facts = {one.id: one for one in result.competitions}
    return [
        _grading_report(seed, [row for row in result.rows if row.seed == seed and row.counts], facts)
        for seed in range(result.seeds)
    ]


def _grading_report(seed: int, rows: Sequence[RunRow], facts: dict[str, Facts]) -> dict[str, Any]:
    return {
        "seed": seed,
        "total_runs": len(rows),
        "total_runs_with_submissions": sum(row.submitted for row in rows),
        "total_valid_submissions": sum(bool(row.valid) for row in rows),
        "total_medals": sum(row.medal is not None for row in rows),
        "total_gold_medals": sum(row.medal == "gold" for row in rows),
        "total_silver_medals": sum(row.medal == "silver" for row in rows),
        "total_bronze_medals": sum(row.medal == "bronze" for row in rows),
        "total_above_median": sum(row.above_median for row in rows),
        "competition_reports": [_competition_report(row, facts[row.competition]) for row in rows],
    }


def _competition_report(row: RunRow, facts: Facts) -> dict[str, Any]:
    path = f"runs/{row.competition}/seed-{row.seed}/attempt-{row.attempt}/submission.csv"
    return {
        "competition_id": row.competition,
        "score": row.score,
        "gold_threshold": facts.gold,
        "silver_threshold": facts.silver,
        "bronze_threshold": facts.bronze,
        "median_threshold": facts.median,
        "any_medal": row.medal is not None,
        "gold_medal": row.medal == "gold",
        "silver_medal": row.medal == "silver",
        "bronze_medal": row.medal == "bronze",
        "above_median": row.above_median,
        "submission_exists": row.submitted,
        "valid_submission": bool(row.valid),
        "is_lower_better": facts.lower_is_better,
        "created_at": row.graded_at,
        "submission_path": path if row.submitted else None,
    }
