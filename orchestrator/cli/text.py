"""Text for a terminal: tables, and words of strangers made harmless. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_LAYOUT = {"\n", "\t"}


def clean(text: str) -> str:
    """Text without what would act on a terminal or turn its direction; line breaks and tabs stay."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(letter for letter in text if letter in _LAYOUT or unicodedata.category(letter) not in _UNSEEN)


_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def one_line(text: str, width: int = 80) -> str:
    """Text on one line, cut to a width."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"


def width_of(text: str) -> int:
    """Columns that a text takes in a terminal."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    combining = sum(unicodedata.combining(letter) != 0 for letter in text)
    return len(text) + wide - combining


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Rows in aligned columns under their headers; columns named in `right` end flush. No blanks at line ends."""
    lines = [list(headers), *(list(row) for row in rows)]
    widths = [max(width_of(line[column]) for line in lines) for column in range(len(headers))]
    shown = []
    for line in lines:
        cells = [_pad(cell, widths[column], column in right) for column, cell in enumerate(line)]
        shown.append("  ".join(cells).rstrip())
    return "\n".join(shown) + "\n"


def _pad(cell: str, width: int, is_right: bool) -> str:
    fill = " " * (width - width_of(cell))
    return fill + cell if is_right else cell + fill


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 run, 3 runs."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
