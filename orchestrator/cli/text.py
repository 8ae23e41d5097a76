"""Tables and paragraphs for a terminal; `report.words` has how numbers and the texts of strangers are written."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

PAGE = 110


def paragraph(text: str, lead: str = "") -> str:
    """Text wrapped to the width of a page, later lines indented under the first; `lead` stands before it."""
    return textwrap.fill(
        text,
        PAGE,
        initial_indent=lead,
        subsequent_indent=" " * len(lead),
        break_on_hyphens=False,
        break_long_words=False,
    )


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
