"""Refusals about the values of a submission: numbers, their range, whole ones, sums, labels, text.

Each word takes a column or several and is a statement: it returns nothing, or rejects and names rows that break the
rule. What counts as a number is what numpy takes for one: True and False are 1 and 0, text that spells a number is that
number, and a missing value is a number that is missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from graders.errors import InvalidSubmission, Reason
from graders.toolkit.places import Column, Mask, places, quote, rows_of

Floats = npt.NDArray[np.float64]


def numbers(column: Column) -> Floats:
    """The column as floats; rejects what is no number. Missing values become NaN."""
    values: npt.NDArray[Any] = column.to_numpy()
    try:
        return values.astype(np.float64)
    except (ValueError, TypeError, OverflowError):
        wrong = np.array([not _is_number(value) for value in column], dtype=np.bool_)
        raise InvalidSubmission(
            Reason.NOT_NUMBERS,
            f"{rows_of(wrong)} of column {quote(column.name)} hold no number.",
            found=places(column, wrong),
            hint="write plain numbers, such as 0.25",
        ) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (ValueError, TypeError, OverflowError):
        return value is None
    return True


def must_be_numbers(data: Column | pd.DataFrame, *, strict: bool = False) -> None:
    """Numbers, missing ones included. `strict`: the column must be read as numbers by pandas, text is never one."""
    if _whole_table(data) is not None:
        return
    for column in _columns(data):
        if strict and not (pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column)):
            texts = np.array([isinstance(value, str) for value in column], dtype=np.bool_)
            raise InvalidSubmission(
                Reason.NOT_NUMBERS,
                f"Column {quote(column.name)} is not a column of numbers.",
                found=places(column, texts if texts.any() else ~texts),
                hint="write plain numbers in every row, such as 0.25",
            )
        numbers(column)


def must_not_be_missing(data: Column | pd.DataFrame) -> None:
    """No empty cell, and none with a word that pandas reads as missing (NA, null, nan …)."""
    if (values := _whole_table(data)) is not None and not np.isnan(values).any():
        return
    for column in _columns(data):
        _reject_where(
            column,
            column.isna().to_numpy(),
            Reason.MISSING_VALUES,
            "are empty",
            hint="fill every row; NA, null, nan and None count as empty",
        )


def must_be_finite(data: Column | pd.DataFrame) -> None:
    """Numbers, none of them missing or infinite."""
    if (values := _whole_table(data)) is not None and np.isfinite(values).all():
        return
    for column in _columns(data):
        values = numbers(column)
        must_not_be_missing(
            column if column.dtype != object else pd.Series(values, name=column.name, index=column.index)
        )
        _reject_where(column, np.isinf(values), Reason.NOT_FINITE, "are infinite", hint="write finite numbers")


def must_be_within(
    data: Column | pd.DataFrame, low: float, high: float, *, blanks: Literal["reject", "allow"] = "reject"
) -> None:
    """Numbers from `low` to `high`, both included. A missing one is outside, unless `blanks` are allowed."""
    if (table := _whole_table(data)) is not None and ((table >= low) & (table <= high)).all():
        return
    for column in _columns(data):
        values = numbers(column)
        if blanks == "reject":
            must_not_be_missing(pd.Series(values, name=column.name, index=column.index))
        _reject_where(
            column,
            (values < low) | (values > high),
            Reason.OUT_OF_RANGE,
            f"are not between {low:g} and {high:g}",
            hint=f"clip the values to [{low:g}, {high:g}]",
        )


def must_be_whole(data: Column | pd.DataFrame) -> None:
    """Whole numbers, written as 3 or as 3.0, none missing or beyond 64 bits."""
    for column in _columns(data):
        must_be_finite(column)
        values = numbers(column)
        wrong = (values != np.floor(values)) | (values < -(2.0**63)) | (values >= 2.0**63)
        wrong &= column.dtype.kind not in "iu"  # what pandas reads as whole numbers is, above 2**63 too
        _reject_where(column, wrong, Reason.NOT_WHOLE, "are no whole numbers", hint="round the values")


def cut_to_whole(column: Column) -> npt.NDArray[np.int64]:
    """Whole numbers as Python's `int` makes them: 3.9 is 3, -0.5 is 0, the text '12' is 12; rejects what it refuses.

    Numbers from 2^63 on are rejected, unless all are such and below 2^64: numpy takes those for a kind of their own,
    which no label here is of, and they come back as negative ones.

    >>> cut_to_whole(pd.Series([3.9, -0.5])).tolist()
    [3, 0]
    """
    whole = np.zeros(len(column), dtype=np.int64)
    wrong = np.zeros(len(column), dtype=np.bool_)
    if column.dtype == object:
        for row, value in enumerate(column):
            try:
                whole[row] = int(value)
            except (ValueError, TypeError, OverflowError):
                wrong[row] = True
    else:
        values: npt.NDArray[Any] = column.to_numpy()
        if values.dtype.kind in "bi":
            return values.astype(np.int64)
        is_beyond = values >= 2**63
        if len(values) and is_beyond.all() and (values.dtype.kind == "u" or (values < 2.0**64).all()):
            return values.astype(np.uint64).view(np.int64)
        wrong = is_beyond | ~(values >= -(2.0**63))
        whole[~wrong] = values[~wrong].astype(np.int64)
    _reject_where(column, wrong, Reason.NOT_WHOLE, "are no whole numbers", hint="write plain whole numbers")
    return whole


def must_sum_to_one(frame: pd.DataFrame, *, tolerance: float = 1.1e-5) -> None:
    """Each row's values sum to 1, give or take the tolerance; missing ones count as 0.

    The tolerance is that of `numpy.isclose(sum, 1, atol=1e-6)`, whose relative part adds 1e-5.
    """
    table = _whole_table(frame)
    if table is None:
        table = np.column_stack([numbers(frame[column]) for column in frame.columns])
    sums = np.nansum(table, axis=1)
    wrong = ~(np.abs(sums - 1) <= tolerance)
    if wrong.any():
        raise InvalidSubmission(
            Reason.BAD_SUM,
            f"{rows_of(wrong)} do not sum to 1 over {len(frame.columns):,} columns.",
            found=places(pd.Series(sums, name="sum", index=frame.index), wrong),
            hint="divide each row by its sum; rows are not rescaled",
        )


def must_be_labels(column: Column) -> None:
    """Class labels as scikit-learn takes them: whole numbers, or True and False, or text; none missing.

    Decimals are rejected where one has a fraction, is infinite or beyond 64 bits. A column that mixes numbers with
    text, as pandas makes of a very long one, is rejected.
    """
    if column.dtype != object:
        if pd.api.types.is_float_dtype(column):
            must_be_whole(column)
        return
    must_not_be_missing(column)
    no_text = np.array([not isinstance(value, str) for value in column], dtype=np.bool_)
    _reject_where(column, no_text, Reason.NOT_TEXT, "are numbers among words", hint="use one kind of label throughout")


def must_be_one_of(column: Column, allowed: Collection[Any]) -> None:
    """Every value is one of a public list, such as the class names of the task."""
    wrong = ~column.isin(list(allowed)).to_numpy()
    _reject_where(
        column,
        wrong,
        Reason.UNKNOWN_LABELS,
        "are none of the labels",
        hint=f"use only {', '.join(quote(value) for value in sorted(allowed)[:10])}{' …' if len(allowed) > 10 else ''}",
    )


def must_be_text(column: Column) -> None:
    """A column that pandas reads as text; empty cells are allowed in it, as is a column that is wholly empty."""
    if column.dtype == object or column.isna().all():
        wrong = np.array([not (isinstance(value, str) or pd.isna(value)) for value in column], dtype=np.bool_)
    else:
        wrong = column.notna().to_numpy()
    _reject_where(
        column,
        wrong,
        Reason.NOT_TEXT,
        "are read as numbers, where text is due",
        hint="the column is read as text if at least one row is no plain number",
    )


def _whole_table(data: Column | pd.DataFrame) -> Floats | None:
    """All values of a table at once, if pandas reads every column as numbers; None if it does not, or for one column.

    A hundred columns are checked at once far sooner than one by one, which is left to those that have something wrong.
    """
    if isinstance(data, pd.DataFrame) and all(dtype.kind in "biuf" for dtype in data.dtypes):
        return np.ascontiguousarray(data.to_numpy(dtype=np.float64))
    return None


def _columns(data: Column | pd.DataFrame) -> Iterator[Column]:
    if isinstance(data, pd.DataFrame):
        yield from (data[name] for name in data.columns)
    else:
        yield data


def _reject_where(column: Column, wrong: Mask, reason: Reason, what: str, *, hint: str) -> None:
    if wrong.any():
        raise InvalidSubmission(
            reason, f"{rows_of(wrong)} of column {quote(column.name)} {what}.", found=places(column, wrong), hint=hint
        )
