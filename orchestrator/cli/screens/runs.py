"""The screen of `mlectl runs`."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.api.types import ResultRow
from orchestrator.cli.text import table
from orchestrator.report.words import count, score


def show_runs(rows: Sequence[ResultRow], total: int, *, is_demo: bool = False, unprotected: bool = False) -> str:
    """A line for each run, and how many there are."""
    cells = [
        [
            row.competition,
            str(row.seed),
            row.state.value,
            str(row.attempt) if row.attempt else "",
            score(row.score),
            row.medal or "",
            row.reason or "",
        ]
        for row in rows
    ]
    head = table(["COMPETITION", "SEED", "STATE", "ATTEMPT", "SCORE", "MEDAL", "REASON"], cells, right=[1, 3, 4])
    note = "; medal lines of demo competitions are made up" if is_demo else ""
    note += "; unprotected: nothing kept the agents apart from the machine" if unprotected else ""
    return f"{head}\n{len(rows)} of {count(total, 'run')}{note}\n"
