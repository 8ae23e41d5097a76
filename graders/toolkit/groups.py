"""Cells that list things of one form, such as boxes: groups of a name and some numbers, with blanks between them.

All cells of a column are read into a few arrays, a line for each group, so that metrics need not go through Python
objects. What is read is bounded: a column of billions of tiny groups is rejected before it is taken apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graders.errors import InvalidSubmission, Reason
from graders.toolkit.cells import must_parse
from graders.toolkit.places import Column, Mask, places, quote
from graders.toolkit.values import Floats, must_be_text

MAX_GROUPS = 20_000_000
"""Ten times what the largest honest submission has (3d-object-detection, some hundred boxes for each sample)."""
MAX_CELL = 1 << 26
"""Characters in one cell; honest ones stay below a million."""

_BLOCK = 1 << 20

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Form:
    """How a group is written: `size` pieces, the one at `name` (from 0) a name and all others numbers."""

    size: int
    name: int | None = None
    single_blanks: bool = True
    """Pieces are split at every single blank, so that one too many makes an empty piece; else at any white space."""
    blank_is_none: bool = False
    """A cell of nothing but white space has no groups, whatever its blanks."""

    def pieces(self, cell: Any) -> list[str]:
        """A cell's pieces, in whole groups. A missing cell has none."""
        if not isinstance(cell, str) or (self.blank_is_none and not cell.strip()):
            return []
        if len(cell) > MAX_CELL:
            raise ValueError(f"a cell has more than {MAX_CELL:,} characters")
        pieces = cell.split(" ") if self.single_blanks else cell.split()
        if len(pieces) % self.size:
            raise ValueError(f"{len(pieces):,} pieces are not a multiple of {self.size}{self._about_blanks(pieces)}")
        return pieces

    def numbers(self, pieces: Sequence[str]) -> Floats:
        """The pieces that are numbers, a row for each group."""
        columns = [pieces[place :: self.size] for place in range(self.size) if place != self.name]
        made = np.empty((len(pieces) // self.size, len(columns)))
        for place, column in enumerate(columns):
            made[:, place] = np.fromiter(map(float, column), dtype=np.float64, count=len(column))
        return made

    def check(self, cell: Any) -> None:
        """Raise ValueError if the cell is not written in this form."""
        self.numbers(self.pieces(cell))

    def _about_blanks(self, pieces: Sequence[str]) -> str:
        return "; a blank too many makes an empty piece" if "" in pieces else ""


@dataclass(frozen=True)
class Groups:
    """The groups of a column's cells, in order."""

    column: Column
    rows: Positions
    """The row that each stood in, from 0."""
    names: Positions
    """Which of the known names each has, from 0; -1 for any other name, and where the form has none."""
    numbers: Floats
    """Its numbers in order, a row for each group."""

    def __len__(self) -> int:
        return len(self.rows)

    def reject_where(self, wrong: Mask, reason: Reason, what: str, *, hint: str) -> None:
        """Refuse the submission if some groups are wrong, and quote their cells."""
        if wrong.any():
            cells = np.zeros(len(self.column), dtype=np.bool_)
            cells[self.rows[wrong]] = True
            raise InvalidSubmission(
                reason,
                f"{wrong.sum():,} of the {len(self):,} things listed in column {quote(self.column.name)} {what}.",
                found=places(self.column, cells),
                hint=hint,
            )


def must_be_groups(column: Column, form: Form, *, expected: str, known: Sequence[str] = ()) -> Groups:
    """The groups in a column of text. A missing cell has none; numbers may be `nan` or infinite.

    >>> cells = pd.Series(["cat 0.5 1 dog 1 nan", None, "emu 3 4"])
    >>> groups = must_be_groups(cells, Form(size=3, name=0), known=["cat", "dog"], expected="name x y")
    >>> groups.rows.tolist(), groups.names.tolist(), groups.numbers.tolist()
    ([0, 0, 2], [0, 1, -1], [[0.5, 1.0], [1.0, nan], [3.0, 4.0]])
    """
    must_be_text(column)
    place_of = {name: place for place, name in enumerate(known)}
    rows, names, numbers = [], [], []
    try:
        for cells, pieces in _blocks(column, form):
            rows.append(cells)
            names.append(_places(pieces, form, place_of))
            numbers.append(form.numbers(pieces))
    except ValueError:
        must_parse(column, form.check, expected=expected)
        raise
    return Groups(column, np.concatenate(rows), np.concatenate(names), np.concatenate(numbers))


def _blocks(column: Column, form: Form) -> Iterator[tuple[Positions, list[str]]]:
    """The column's pieces, many cells at a time, with the row of each group."""
    rows: list[int] = []
    counts: list[int] = []
    waiting: list[str] = []
    total = 0
    for row, cell in enumerate(column):
        pieces = form.pieces(cell)
        waiting += pieces
        rows.append(row)
        counts.append(len(pieces) // form.size)
        total += counts[-1]
        _limit(total, column)
        if len(waiting) >= _BLOCK:
            yield np.repeat(np.array(rows, dtype=np.intp), counts), waiting
            rows, counts, waiting = [], [], []
    yield np.repeat(np.array(rows, dtype=np.intp), counts), waiting


def _places(pieces: Sequence[str], form: Form, place_of: dict[str, int]) -> Positions:
    if form.name is None:
        return np.full(len(pieces) // form.size, -1)
    names = pieces[form.name :: form.size]
    return np.fromiter((place_of.get(name, -1) for name in names), dtype=np.intp, count=len(names))


def _limit(groups: int, column: Column) -> None:
    if groups > MAX_GROUPS:
        raise InvalidSubmission(
            Reason.TOO_LARGE,
            f"Column {quote(column.name)} lists more than {MAX_GROUPS:,} things.",
            hint="keep the most certain ones",
        )
