"""The screen of `mlectl failures`."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.cli.text import table
from orchestrator.report.result import FailureClass
from orchestrator.report.words import count, one_line


def show_failures(name: str, failures: Sequence[FailureClass], *, can_retry: bool = False) -> str:
    """A paragraph for each class, those that cost a result first; with `can_retry`, how to try its runs again."""
    if not failures:
        return f"Nothing went wrong in {name}.\n"
    return "\n".join(_paragraph(name, one, can_retry) for one in failures)


def _paragraph(name: str, failures: FailureClass, can_retry: bool) -> str:
    head = f"{failures.reason}   {count(len(failures.attempts), 'attempt')}   fault: {failures.fault}"
    rows = [
        [f"  {one.competition}", str(one.seed), str(one.attempt), one.effect, one_line(one.message, 100)]
        for one in failures.attempts
    ]
    runs = table(["  COMPETITION", "SEED", "ATTEMPT", "THEN", "MESSAGE"], rows, right=[1, 2])
    started = next((one for one in failures.attempts if one.attempt), None)
    logs = f"  log         mlectl logs {name} {started.competition} {started.seed}\n" if started else ""
    is_open = any(one.effect == "no result" for one in failures.attempts)
    retry = f"  try again   mlectl retry {name} --reason {failures.reason}\n" if can_retry and is_open else ""
    return f"{head}\n  {failures.meaning}\n  what to do  {failures.what_to_do}\n\n{runs}{logs}{retry}"
