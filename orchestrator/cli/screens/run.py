"""What `mlectl run` ends with: the result, where the report is, and what to try next."""

from __future__ import annotations

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunStatus
from orchestrator.cli.screens.report import show_report
from orchestrator.report.result import ExperimentResult


def show_end(result: ExperimentResult, status: ExperimentRunStatus, page: str) -> str:
    """The result and the way on from it."""
    name = Key(result.namespace, result.name)
    first = next((row for row in result.rows if row.attempt), None)
    follow = [
        f"mlectl runs {name}",
        *([f"mlectl logs {name} {first.competition} {first.seed}"] if first else []),
        *([f"mlectl failures {name}"] if result.failures else []),
        f"mlectl leaderboard {name}",
    ]
    lines = [show_report(result), f"{status.phase.value}. Report: {page}", f"Try next: {follow[0]}"]
    return "\n".join([*lines, *(f"          {command}" for command in follow[1:])]) + "\n"
