"""Run-length masks, kept as intervals of pixels: a mask of a billion pixels costs what its text costs.

A code is `start length start length …` with pixels counted from 1. Which way pixels run through the picture does not
matter for areas and overlaps, so a mask is just a set of pixel numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.int64]

_BLOCK = 1 << 20
_WHITE_SPACE = re.compile(r"\s")


@dataclass(frozen=True)
class Runs:
    """Sorted runs of pixels that do not touch one pixel twice: from `starts` to before `ends`, counted from 0."""

    starts: Pixels
    ends: Pixels

    @property
    def area(self) -> int:
        return int((self.ends - self.starts).sum())

    def pixels(self) -> Pixels:
        """The number of each pixel, in order, counted from 0."""
        lengths = self.ends - self.starts
        before = np.cumsum(lengths) - lengths
        pixels: Pixels = np.arange(lengths.sum()) + np.repeat(self.starts - before, lengths)
        return pixels

    def overlap(self, other: Runs) -> int:
        """How many pixels are in both."""
        return int(self.overlaps(other).sum())

    def overlaps(self, other: Runs) -> Pixels:
        """How many pixels of each run are in the other mask."""
        if not len(other.starts):
            return np.zeros_like(self.starts)
        return other._pixels_before(self.ends) - other._pixels_before(self.starts)

    def _pixels_before(self, positions: Pixels) -> Pixels:
        """For each position, how many of the mask's pixels lie before it."""
        lengths = self.ends - self.starts
        before = np.concatenate([[0], np.cumsum(lengths)])
        run = np.searchsorted(self.starts, positions, side="right") - 1
        inside = np.minimum(positions - self.starts[run], lengths[run])
        return np.where(run < 0, 0, before[run] + inside)


def decode_runs(code: Any, pixels: int, *, strict: bool) -> Runs:
    """The mask that a code describes, on a picture of so many pixels; ValueError says what is wrong with it.

    Blank text is the empty mask. `strict` rejects an odd count of numbers and pixels beyond the picture. Without it,
    what lies beyond is cut off, and odd counts are what numpy's broadcasting made of them: a lone number is an empty
    mask, and the one length among three numbers serves both starts.

    >>> decode_runs("3 2 9 4", 10, strict=False).area
    4
    """
    if not isinstance(code, str):
        raise ValueError("a mask must be text")
    numbers = _whole_numbers(code)
    starts, lengths = numbers[0::2], numbers[1::2]
    if len(starts) != len(lengths):
        if strict or len(numbers) > 3:
            raise ValueError("a mask needs an even count of numbers, a start and a length for each run")
        lengths = np.repeat(lengths, 2)
    if (numbers < 1).any():
        raise ValueError("starts and lengths of runs must be at least 1")
    if (starts[1:] < starts[:-1]).any():
        raise ValueError("runs must be in ascending order")
    starts = starts[: len(lengths)] - 1
    inside = starts < pixels
    if strict and not (inside.all() and (lengths <= pixels - starts).all()):
        raise ValueError(f"a run goes beyond the picture's {pixels:,} pixels")
    starts, lengths = starts[inside], lengths[inside]
    ends = starts + np.minimum(lengths, pixels - starts)
    if (ends[:-1] > starts[1:]).any():
        raise ValueError("runs must not overlap")
    return Runs(starts, ends)


def _whole_numbers(text: str) -> Pixels:
    """The numbers of a text, read in blocks: its words as Python texts would take ten times its memory."""
    parts = [np.empty(0, dtype=np.int64)]
    start = 0
    while start < len(text):
        cut = _WHITE_SPACE.search(text, start + _BLOCK)
        end = cut.start() if cut else len(text)
        parts.append(np.fromiter(map(int, text[start:end].split()), dtype=np.int64))
        start = end
    return np.concatenate(parts)
