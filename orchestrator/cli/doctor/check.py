"""A line of the doctor's: what was looked at, how it is, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warning", "problem", "skipped"]


@dataclass(frozen=True)
class Check:
    """One finding."""

    name: str
    verdict: Verdict
    found: str
    what_to_do: str = ""


def has_problem(checks: Iterable[Check]) -> bool:
    return any(check.verdict == "problem" for check in checks)
