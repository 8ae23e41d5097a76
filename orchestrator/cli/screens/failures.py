"""The screen of `mlectl failures`."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.cli.text import table
from orchestrator.report.result import FailureClass
from orchestrator.report.words import count, one_line


def show_failures(name: str, failures: Sequence[FailureClass]) -> str:
    """A paragraph for each class, those that cost a result first."""
    if not failures:
        return f"Nothing went wrong in {name}.\n"
    return "\n".join(_paragraph(name, one) for one in failures)


def _paragraph(name: str, failures: FailureClass) -> str:
    head = f"{failures.reason}   {count(len(failures.attempts), 'attempt')}   fault: {failures.fault}"
    rows = [
        [f"  {one.competition}", str(one.seed), str(one.attempt), one.effect, one_line(one.message, 100)]
        for one in failures.attempts
    ]
    runs = table(["  COMPETITION", "SEED", "ATTEMPT", "THEN", "MESSAGE"], rows, right=[1, 2])
    started = next((one for one in failures.attempts if one.attempt), None)
    logs = f"  log         mlectl logs {name} {started.competition} {started.seed}\n" if started else ""
    return f"{head}\n  {failures.meaning}\n  what to do  {failures.what_to_do}\n\n{runs}{logs}"
