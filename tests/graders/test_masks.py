"""Columns of run-length masks, read at once or cell by cell: the same masks, the same refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.errors import InvalidSubmission
from graders.toolkit import Masks, decode_runs, must_be_masks
from graders.toolkit.masks import _read_plain

PIXELS = 30


def written(steps: list[tuple[int, int]]) -> str:
    """Runs that begin so many pixels after one another, and may overlap."""
    starts = np.cumsum([step for step, _ in steps])
    return " ".join(f"{start} {length}" for start, (_, length) in zip(starts, steps, strict=True))


plain = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 4)), max_size=4).map(written)
odd = st.sampled_from(
    ["", "  ", "7", "1 2 9", "1  2", " 1 2", "3 2 3 2", "9 9 1 1", "30 2", "31 1", "0 3", "1 0", "+1 2"]
)
odd |= st.sampled_from(
    ["1_0 2", "１ 2", "1\n2", "1\t2", "x", "-1 2", "1.0 2", "1 1234567890123456789", f"1 {'9' * 30}", "\x00"]
)
cells = st.lists(st.one_of(plain, plain, odd, st.none()), min_size=1, max_size=5)


def one_by_one(codes: list[str | None], *, strict: bool) -> list[Any]:
    return [decode_runs(code or "", PIXELS, strict=strict) for code in codes]


@given(cells, st.booleans())
def test_a_column_is_what_its_cells_are(codes: list[str | None], strict: bool) -> None:
    column = pd.Series(codes, name="mask", dtype=object)
    try:
        expected = one_by_one(codes, strict=strict)
    except (ValueError, OverflowError):
        with pytest.raises(InvalidSubmission, match="can't be read"):
            must_be_masks(column, PIXELS, strict=strict)
        return
    masks = must_be_masks(column, [PIXELS] * (len(codes) + 1), strict=strict)

    assert len(masks) == len(codes)
    for found, wanted in zip(masks, expected, strict=True):
        assert found.starts.tolist() == wanted.starts.tolist()
        assert found.ends.tolist() == wanted.ends.tolist()
    assert masks.areas.tolist() == [mask.area for mask in expected]


@given(st.lists(st.tuples(plain, plain), min_size=1, max_size=5))
def test_overlaps_are_counted_picture_by_picture(pairs: list[tuple[str, str]]) -> None:
    sides = [list(side) for side in zip(*pairs, strict=True)]
    try:
        first, second = (one_by_one(side, strict=False) for side in sides)
    except ValueError:
        return
    left, right = (must_be_masks(pd.Series(side, dtype=object), PIXELS, strict=False) for side in sides)

    assert left.overlaps(right).tolist() == [a.overlap(b) for a, b in zip(first, second, strict=True)]
    assert right.overlaps(left).tolist() == left.overlaps(right).tolist()


def test_masks_of_an_ordinary_submission_are_read_at_once() -> None:
    origins = np.array([0, 30, 60, 90])
    assert isinstance(_read_plain(["1 2 9 4", "", "30 1"], origins), Masks)
    assert _read_plain(["1 2 9 4", "1 2 3", ""], origins) is None


def test_rows_beyond_the_last_have_no_mask() -> None:
    masks = must_be_masks(pd.Series(["1 2"]), PIXELS, strict=True)
    assert masks[0].area == 2
    with pytest.raises(IndexError):
        masks[1]
