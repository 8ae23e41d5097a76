"""Cells that list guesses, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator

from graders.toolkit.places import Column


def guesses(column: Column, *, most: int, single_blanks: bool = True) -> Iterator[list[str]]:
    """The first `most` guesses of each cell, which is taken as text whatever it is: a missing one guesses `nan`.

    Cells are split at every single blank, so that one too many makes an empty guess that takes up a place; without
    `single_blanks` at any white space.

    >>> list(guesses(pd.Series(["7  8 9", float("nan")]), most=3))
    [['7', '', '8'], ['nan']]
    """
    blank = " " if single_blanks else None
    return (cell.split(blank, most)[:most] for cell in column.astype(str))
