"""Cells that hold more than one value: lists of words, and whatever a competition's own parser reads out of a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from graders.bulk import check_limit
from graders.errors import InvalidSubmission, Reason
from graders.toolkit.places import Column, places, quote, rows_of

MAX_CHARACTERS = 100_000_000
"""In a column that is taken apart into words, each of which costs memory; honest ones stay below 20 million."""

Parsed = TypeVar("Parsed")


def must_parse(column: Column, parse: Callable[[Any], Parsed], *, expected: str) -> list[Parsed]:
    """Every cell put through `parse`; the cells on which it raises ValueError are rejected with the first's message.

    >>> must_parse(pd.Series(["1 2", "3"]), lambda cell: [int(word) for word in cell.split()], expected="whole numbers")
    [[1, 2], [3]]
    """
    parsed: list[Parsed] = []
    wrong = np.zeros(len(column), dtype=np.bool_)
    problem = ""
    for row, cell in enumerate(column):
        try:
            parsed.append(parse(cell))
        except (ValueError, OverflowError) as error:
            problem = problem or str(error).rstrip(".")
            wrong[row] = True
    if wrong.any():
        raise InvalidSubmission(
            Reason.MALFORMED,
            f"{rows_of(wrong)} of column {quote(column.name)} can't be read: {problem[:200]}.",
            found=places(column, wrong),
            expected=expected,
        )
    return parsed


def words(column: Column) -> list[list[str]]:
    """The words of each cell, split at any white space; a missing cell has none. Use after `must_be_text`.

    >>> words(pd.Series(["rust  scab", None]))
    [['rust', 'scab'], []]
    """
    return list(each_words(column))


def each_words(column: Column) -> Iterator[list[str]]:
    """The same, one cell after the other: a million lists that live at once cost Python more than to make them."""
    check_limit(sum(len(cell) for cell in column if isinstance(cell, str)), MAX_CHARACTERS, "characters in a column")
    return (cell.split() if isinstance(cell, str) else [] for cell in column)
