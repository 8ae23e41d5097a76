"""Promises about raw data and splits, where a specification says that preparation fails: each is kept or told."""

from __future__ import annotations

import pandas as pd

from preparers.errors import PreparationError
from preparers.toolkit.names import tell


def promise(kept: bool, otherwise: str) -> None:
    """Fail with that sentence unless the promise is kept."""
    if not kept:
        raise PreparationError(otherwise)


def has_columns(frame: pd.DataFrame, *columns: str, name: str = "the table", exactly: bool = True) -> None:
    """The table has these columns; `exactly`: in this order and no others."""
    found = list(frame.columns)
    if found == list(columns) or (not exactly and set(columns) <= set(found)):
        return
    missing = [column for column in columns if column not in found]
    what = f"lacks the columns {tell(missing)}" if missing else f"has the columns {tell(found, most=len(found))}"
    raise PreparationError(f"{name} {what}; expected {', '.join(columns)}.")


def unique(frame: pd.DataFrame, column: str, name: str = "the table") -> None:
    """No value of the column stands twice."""
    twice = frame[column][frame[column].duplicated()]
    promise(twice.empty, f"{name} repeats {len(twice):,} values of {column}: {tell([str(v) for v in twice])}.")


def disjoint(train: pd.DataFrame, test: pd.DataFrame, column: str) -> None:
    """No value of the column is on both sides of the split."""
    both = test[column][test[column].isin(train[column])]
    promise(both.empty, f"{len(both):,} values of {column} are in train and in test: {tell([str(v) for v in both])}.")
