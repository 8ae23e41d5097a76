"""How numbers, times and strangers' texts are written in reports, the same in a terminal and on a page."""

from __future__ import annotations

import re
import unicodedata

from orchestrator.api.types import Figure

NONE = "–"
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories that are not seen but act: control characters, direction marks, line separators."""


def plain(text: str) -> str:
    """A text that somebody else wrote, without what would act on a terminal or a page; line breaks and tabs stay."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in _UNSEEN)


def one_line(text: str, most: int = 200) -> str:
    """The same on one line, cut to a length."""
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= most else f"{flat[: most - 1].rstrip()}…"


def score(value: float | None) -> str:
    """Five significant digits, no exponent: scores are graded to five decimals."""
    if value is None:
        return NONE
    if abs(value) >= 10_000:
        return f"{value:.0f}"
    return f"{value:.5g}" if abs(value) >= 1e-4 or value == 0 else f"{value:.5f}"


def percent(value: float | None, decimals: int = 1) -> str:
    return NONE if value is None else f"{value:.{decimals}f} %"


def plus_minus(figure: Figure | None, decimals: int = 2) -> str:
    """A figure as the board publishes it: mean ± standard error."""
    return NONE if figure is None else f"{figure.mean:.{decimals}f} ± {figure.sem:.{decimals}f}"


def interval(figure: Figure | None, decimals: int = 1) -> str:
    return NONE if figure is None else f"{figure.low95:.{decimals}f} to {figure.high95:.{decimals}f}"


def duration(seconds: float | None) -> str:
    """A time in the two units that matter: 24 h, 1 h 12 min, 45 s."""
    if seconds is None:
        return NONE
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    if minutes:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{rest} s"


def count(number: int, noun: str) -> str:
    """`1 seed`, `3 seeds`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: list[str] | tuple[str, ...], most: int = 8) -> str:
    """The names, or the first of them and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def split_title(split: str) -> str:
    """A split as a heading: `Low` or `Selected`."""
    return split.capitalize()


def camel_parts(name: str) -> list[str]:
    """The words of a name such as `NodeLost`, for a page that may break it between them."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+", name) or [name]


def size(count_of_bytes: float) -> str:
    """A number of bytes as people write it: 3.1 GB."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count_of_bytes < 1000:
            return f"{count_of_bytes:.0f} {unit}" if unit == "bytes" else f"{count_of_bytes:.1f} {unit}"
        count_of_bytes /= 1000
    return f"{count_of_bytes:,.1f} TB"
