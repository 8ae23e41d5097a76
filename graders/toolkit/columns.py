"""Refusals about a submission's columns."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import pandas as pd

from graders.errors import InvalidSubmission, Reason
from graders.toolkit.places import MOST_SHOWN, quote


def must_have(submission: pd.DataFrame, *columns: str, exactly: bool = False, in_order: bool = False) -> None:
    """The columns are there. `exactly`: and no others; `in_order`: no others, and in this order."""
    found = list(submission.columns)
    missing = [column for column in columns if column not in set(found)]
    if missing:
        raise InvalidSubmission(
            Reason.MISSING_COLUMNS,
            f"{_count(missing)} missing: {_names(missing)}.",
            found=[f"the columns {_names(found)}" if found else "a table without columns"],
            expected=f"the columns of the sample submission, {_names(columns)} among them",
            hint=_nearest(missing, found),
        )
    surplus = [column for column in found if column not in set(columns)]
    if surplus and (exactly or in_order):
        raise InvalidSubmission(
            Reason.UNEXPECTED_COLUMNS,
            f"{_count(surplus)} not wanted: {_names(surplus)}.",
            expected=f"the columns {_names(columns)} and no others",
            hint="write the file without an index and without columns of your own",
        )
    if in_order and found != list(columns):
        raise InvalidSubmission(
            Reason.UNEXPECTED_COLUMNS,
            "The columns are not in the order of the sample submission.",
            found=[_names(found)],
            expected=_names(columns),
        )


def must_have_width(submission: pd.DataFrame, width: int) -> None:
    """There are so many columns, whatever they are called."""
    found = len(submission.columns)
    if found != width:
        raise InvalidSubmission(
            Reason.MISSING_COLUMNS if found < width else Reason.UNEXPECTED_COLUMNS,
            f"The submission has {found:,} columns; it must have {width:,}.",
            found=[f"the columns {_names(list(submission.columns))}"],
            hint="keep the columns of the sample submission, and add none",
        )


def _count(columns: Sequence[str]) -> str:
    return "1 column is" if len(columns) == 1 else f"{len(columns):,} columns are"


def _names(columns: Sequence[str]) -> str:
    shown = ", ".join(quote(column) for column in columns[: 2 * MOST_SHOWN])
    return f"{shown} and {len(columns) - 2 * MOST_SHOWN:,} more" if len(columns) > 2 * MOST_SHOWN else shown


def _nearest(missing: Sequence[str], found: Sequence[str]) -> str:
    by_lower_case = {str(column).strip().lower(): column for column in found[:200]}
    near = get_close_matches(missing[0].lower(), by_lower_case, n=1)
    if near:
        return f"rename {quote(by_lower_case[near[0]])} to {quote(missing[0])}"
    return "start from the sample submission and fill in its columns"
