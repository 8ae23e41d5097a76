"""A column of run-length masks, each on a picture of its own size.

A column of thousands of masks is kept as one mask on their pictures laid end to end, so that areas and overlaps are
counted for all of them at once. A column that is written plainly is read at once, too: digits and spaces, runs that
keep every rule. Any other goes cell by cell through `decode_runs`, which knows what to make of it or what to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from graders.toolkit.cells import must_parse
from graders.toolkit.places import Column
from graders.toolkit.runs import Pixels, Runs, decode_runs
from graders.toolkit.values import must_be_text

LONGEST_PLAIN = 1 << 26
"""Characters of a column that is read at once, which takes some ten times its memory."""
MOST_DIGITS = 18
"""Any number of so many digits fits into 64 bits."""


@dataclass(frozen=True)
class Masks:
    """Masks whose pictures are laid end to end."""

    runs: Runs
    """All runs, on the pictures together."""
    first: Pixels
    """For each mask the place of its first run, and in the end the number of runs."""
    origins: Pixels
    """For each picture the number of pixels before it, and in the end that of all."""

    @property
    def areas(self) -> Pixels:
        """How many pixels each mask has."""
        return self._sums(self.runs.ends - self.runs.starts)

    def overlaps(self, other: Masks) -> Pixels:
        """How many pixels each mask has in common with the other one of its picture."""
        return self._sums(self.runs.overlaps(other.runs))

    def __len__(self) -> int:
        return len(self.first) - 1

    def __getitem__(self, row: int) -> Runs:
        if not 0 <= row < len(self):
            raise IndexError(row)
        part = slice(self.first[row], self.first[row + 1])
        return Runs(self.runs.starts[part] - self.origins[row], self.runs.ends[part] - self.origins[row])

    def __iter__(self) -> Iterator[Runs]:
        return (self[row] for row in range(len(self)))

    def _sums(self, of_runs: Pixels) -> Pixels:
        """Sums over the runs of each mask."""
        before = np.concatenate([[0], np.cumsum(of_runs)])
        sums: Pixels = before[self.first[1:]] - before[self.first[:-1]]
        return sums


def must_be_masks(column: Column, pixels: int | Sequence[int], *, strict: bool) -> Masks:
    """The mask of each cell, on a picture with so many pixels; a missing cell is an empty mask.

    There may be more pictures than cells, and those at the end have no masks. `strict` is that of `decode_runs`.

    >>> must_be_masks(pd.Series(["3 2 9 4", None]), 10, strict=False).areas
    array([4, 0])
    """
    must_be_text(column)
    sizes = np.full(len(column), pixels) if isinstance(pixels, int) else np.array(pixels[: len(column)], dtype=np.int64)
    origins = np.concatenate([[0], np.cumsum(sizes)])
    codes = [code if isinstance(code, str) else "" for code in column]
    return _read_plain(codes, origins) or _read_each(column, codes, origins, strict=strict)


def _read_each(column: Column, codes: list[str], origins: Pixels, *, strict: bool) -> Masks:
    sizes, rows = np.diff(origins).tolist(), iter(range(len(codes)))

    def decode(_: object) -> Runs:
        row = next(rows)
        return decode_runs(codes[row], sizes[row], strict=strict)

    decoded = must_parse(column, decode, expected="'start length start length …', pixels counted from 1, or nothing")
    first = np.cumsum([0, *(len(mask.starts) for mask in decoded)])
    shift = np.repeat(origins[:-1], np.diff(first))
    empty = [np.empty(0, dtype=np.int64)]
    starts = np.concatenate(empty + [mask.starts for mask in decoded])
    ends = np.concatenate(empty + [mask.ends for mask in decoded])
    return Masks(Runs(starts + shift, ends + shift), first, origins)


def _read_plain(codes: list[str], origins: Pixels) -> Masks | None:
    """All masks of a column that is written plainly, or None: pairs of numbers, ascending, within the pictures."""
    if sum(map(len, codes)) > LONGEST_PLAIN:
        return None
    found = _plain_numbers(codes)
    if found is None:
        return None
    numbers, first = found
    if (first % 2).any() or (numbers < 1).any():
        return None
    first = first // 2
    shift = np.repeat(origins[:-1], np.diff(first))
    starts = numbers[0::2] - 1 + shift
    ends = starts + numbers[1::2]
    beyond = np.repeat(origins[1:], np.diff(first))
    if (ends > beyond).any() or (ends[:-1] > starts[1:]).any():
        return None
    return Masks(Runs(starts, ends), first, origins)


def _plain_numbers(codes: list[str]) -> tuple[Pixels, Pixels] | None:
    """The numbers of all texts, and where each text's begin; None if there is more in them than digits and spaces."""
    text = "\n".join([*codes, ""])
    if not text.isascii() or text.count("\n") != len(codes):
        return None
    characters = text.encode("ascii")
    if characters.translate(None, b"0123456789 \n"):
        return None
    places = np.frombuffer(characters, dtype=np.uint8)
    edges = np.flatnonzero(np.diff(places >= ord("0"), prepend=False))
    begins, ends = edges[0::2], edges[1::2]  # the last character is a line end
    if not len(begins):
        return np.empty(0, dtype=np.int64), np.zeros(len(codes) + 1, dtype=np.int64)
    if (ends - begins).max() > MOST_DIGITS:
        return None
    numbers = np.fromstring(text, dtype=np.int64, sep=" ")
    line_ends = np.flatnonzero(places == ord("\n"))
    return numbers, np.concatenate([[0], np.searchsorted(begins, line_ends)])
