"""A column of run-length masks, each on a picture of its own size."""

from __future__ import annotations

from collections.abc import Iterable

from graders.toolkit.cells import must_parse
from graders.toolkit.places import Column
from graders.toolkit.runs import Runs, decode_runs
from graders.toolkit.values import must_be_text


def must_be_masks(column: Column, pixels: Iterable[int], *, strict: bool) -> list[Runs]:
    """The mask of each cell, on a picture with so many pixels; a missing cell is an empty mask.

    `strict` is that of `decode_runs`.

    >>> [mask.area for mask in must_be_masks(pd.Series(["3 2 9 4", None]), [10, 10], strict=False)]
    [4, 0]
    """
    must_be_text(column)
    sizes = iter(pixels)

    def decode(code: object) -> Runs:
        return decode_runs(code if isinstance(code, str) else "", next(sizes), strict=strict)

    return must_parse(column, decode, expected="'start length start length …', pixels counted from 1, or nothing")
