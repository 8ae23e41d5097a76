"""Where in a submission something is wrong, quoted for a message."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

MOST_SHOWN = 3
LONGEST_SHOWN = 60

Column: TypeAlias = "pd.Series[Any]"
Mask = npt.NDArray[np.bool_]


def quote(value: Any) -> str:
    """A value from a submission, short and without control characters."""
    if isinstance(value, float) and np.isnan(value):
        return "nothing"
    if isinstance(value, np.generic):
        value = value.item()
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def places(values: Column, wrong: Mask) -> list[str]:
    """The first few of the wrong values with their rows in the file, counted from 1 without the header.

    Values keep the row that they had in the file as their index, in whatever order they come.
    """
    shown = values[wrong][:MOST_SHOWN]
    column = f" of column {quote(values.name)}" if values.name is not None else ""
    return [f"{quote(value)} (row {row + 1:,}{column})" for row, value in shown.items()]


def rows_of(wrong: Mask) -> str:
    """How many rows are wrong, of how many."""
    return f"{wrong.sum():,} of {len(wrong):,} rows"
