"""The screen of `mlectl doctor`."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.text import table
from orchestrator.report.words import count, one_line


def show_checks(checks: Sequence[Check]) -> str:
    """A line for each check, what to do below it, and the sum of it all."""
    rows = []
    for check in checks:
        rows.append([check.verdict, check.name, one_line(check.found, 300)])
        for place, line in enumerate(check.what_to_do.splitlines()):
            rows.append(["", "", f"{'  ' if place else '->'} {line}"])
    problems = sum(check.verdict == "problem" for check in checks)
    warnings = sum(check.verdict == "warning" for check in checks)
    end = f"{count(problems, 'problem')}, {count(warnings, 'warning')}"
    return f"{table(['', 'CHECK', 'FOUND'], rows)}\n{end}\n"
