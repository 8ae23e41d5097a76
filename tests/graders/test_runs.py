"""Run-length masks against masks that are painted pixel by pixel, as the original does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.toolkit import decode_runs

PIXELS = 40


def paint(code: str) -> npt.NDArray[np.bool_] | None:
    """The mask, or None where the original fails."""
    parts = code.split()
    try:
        starts, lengths = (np.asarray(side, dtype=np.int64) for side in (parts[0::2], parts[1::2]))
        ends = starts - 1 + lengths  # of unequal lengths: broadcast, or an error
    except ValueError:
        return None
    if (np.diff(starts) < 0).any() or (starts < 1).any() or (lengths < 1).any():
        return None
    mask = np.zeros(PIXELS, dtype=np.bool_)
    for start, end in zip(starts - 1, ends, strict=False):
        if mask[start:end].any():
            return None
        mask[start:end] = True
    return mask


numbers = st.integers(-1, PIXELS + 5)
ascending = st.lists(st.tuples(st.integers(1, PIXELS), st.integers(1, 6)), max_size=6).map(
    lambda runs: [number for run in sorted(runs) for number in run]
)


@given(st.one_of(st.lists(numbers, max_size=7), ascending))
def test_decoding_agrees_with_painting(code: list[int]) -> None:
    text = " ".join(map(str, code))
    painted = paint(text)
    if painted is None:
        with pytest.raises(ValueError, match=r"mask|runs"):
            decode_runs(text, PIXELS, strict=False)
        return
    runs = decode_runs(text, PIXELS, strict=False)

    assert runs.area == painted.sum()
    assert all(painted[start:end].all() for start, end in zip(runs.starts, runs.ends, strict=True))


@given(ascending, ascending)
def test_overlap_agrees_with_painting(one: list[int], other: list[int]) -> None:
    texts = [" ".join(map(str, code)) for code in (one, other)]
    painted = [paint(text) for text in texts]
    if painted[0] is None or painted[1] is None:
        return
    first, second = (decode_runs(text, PIXELS, strict=False) for text in texts)

    assert first.overlap(second) == second.overlap(first) == (painted[0] & painted[1]).sum()


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("5", "even count"),
        ("1 2 10", "even count"),
        ("39 3", "beyond the picture"),
        ("41 1", "beyond the picture"),
        ("1 9223372036854775807", "beyond the picture"),
    ],
)
def test_a_strict_mask_stays_in_the_picture_and_has_pairs(code: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        decode_runs(code, PIXELS, strict=True)
    decode_runs(code, PIXELS, strict=False)


def test_a_strict_mask_may_reach_the_last_pixel() -> None:
    assert decode_runs("1 40", PIXELS, strict=True).area == 40
    assert decode_runs("40 1", PIXELS, strict=True).area == 1


@pytest.mark.parametrize("code", ["1.0 5", "salt", "1 2 3 4 5", None, float("nan"), 5, "-9223372036854775808 3"])
def test_what_is_no_mask_is_told(code: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        decode_runs(code, PIXELS, strict=False)


def test_numbers_at_the_edge_of_64_bits_do_not_wrap_round() -> None:
    huge = "9223372036854775807"

    assert decode_runs(f"3 {huge}", PIXELS, strict=False).area == PIXELS - 2
    assert decode_runs(f"{huge} {huge}", PIXELS, strict=False).area == 0
    with pytest.raises(OverflowError):
        decode_runs(f"1{huge} 1", PIXELS, strict=False)
