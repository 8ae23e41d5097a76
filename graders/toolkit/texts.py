"""Refusing text among numbers where missing values are allowed."""

from __future__ import annotations

import numpy as np

from graders.errors import InvalidSubmission, Reason
from graders.toolkit.places import Column, places, quote, rows_of


def must_not_hold_text(column: Column) -> None:
    """No cell is text, be it one that spells a number. Empty cells may be there, also beside True and False."""
    texts = np.zeros(len(column), dtype=np.bool_)
    if column.dtype == object:
        texts = np.array([isinstance(value, str) for value in column], dtype=np.bool_)
    if texts.any():
        raise InvalidSubmission(
            Reason.NOT_NUMBERS,
            f"{rows_of(texts)} of column {quote(column.name)} hold text, where numbers are due.",
            found=places(column, texts),
            hint="write plain numbers in every row, such as 0.25",
        )
