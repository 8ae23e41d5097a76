"""The two ways in which grading ends without a score.

InvalidSubmission    a verdict about a file: it breaks a rule of the competition; the text is safe to show to the agent
GraderError          a defect of ours, or answers that are not as they should be: it says nothing about the agent
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any


class Reason(StrEnum):
    """Every reason for which a submission is rejected."""

    NOT_A_PLAIN_FILE = "NotAPlainFile"
    TOO_LARGE = "TooLarge"
    UNREADABLE = "Unreadable"
    MISSING_COLUMNS = "MissingColumns"
    UNEXPECTED_COLUMNS = "UnexpectedColumns"
    WRONG_ROW_COUNT = "WrongRowCount"
    MISSING_IDS = "MissingIds"
    UNKNOWN_IDS = "UnknownIds"
    REPEATED_IDS = "RepeatedIds"
    NOT_NUMBERS = "NotNumbers"
    NOT_TEXT = "NotText"
    MISSING_VALUES = "MissingValues"
    NOT_FINITE = "NotFinite"
    OUT_OF_RANGE = "OutOfRange"
    NOT_WHOLE = "NotWhole"
    BAD_SUM = "BadSum"
    UNKNOWN_LABELS = "UnknownLabels"
    MALFORMED = "Malformed"
    NOT_SCORABLE = "NotScorable"
    """It keeps every rule on its own, but the metric has no value for it."""


class InvalidSubmission(Exception):
    """A submission breaks a rule of its competition.

    It quotes the submission and what the public files say, never the answers' values, so that one text serves the
    agent, `mlectl validate` and the report.
    """

    def __init__(
        self,
        reason: Reason,
        problem: str,
        *,
        found: Sequence[str] = (),
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(problem)
        self.reason = reason
        self.problem = problem
        """What is wrong, in a sentence."""
        self.found = tuple(found)
        """Some of the places where it is wrong, such as `'a1.png' (row 2)`. Rows count from 1, without the header."""
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        lines = [f"Submission rejected: {self.problem}"]
        if self.found:
            lines.append(f"  found     {', '.join(self.found)}")
        if self.expected:
            lines.append(f"  expected  {self.expected}")
        if self.hint:
            lines.append(f"  try       {self.hint}")
        return "\n".join(lines)

    @property
    def sentence(self) -> str:
        """The problem and what to do about it, in one line."""
        found = f" Found {', '.join(self.found)}." if self.found else ""
        hint = f" Try: {self.hint}." if self.hint else ""
        return f"{self.problem}{found}{hint}"

    def as_data(self) -> dict[str, Any]:
        """The same as data, for programs."""
        return {
            "reason": self.reason.value,
            "problem": self.problem,
            "examples": list(self.found),
            "expected": self.expected,
            "hint": self.hint,
        }


class GraderError(Exception):
    """Grading failed through no fault of the submission: nothing was decided, and it can be graded again."""
