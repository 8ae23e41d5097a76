"""What to write where a limit was passed: `mistakes.py` says it of a file, the CRD's rules say it on a cluster."""

from __future__ import annotations

from collections.abc import Sequence

A_TEXT = "write a text"
ON_ONE_LINE = "write a text on one line, without blanks around it"


def at_least(number: object) -> str:
    return f"write a number of at least {number}"


def at_most(number: object) -> str:
    return f"write a number of at most {number}"


def one_of(options: Sequence[str]) -> str:
    *most, last = options
    return f"write {', '.join(most)} or {last}" if most else f"write {last}"


def at_least_items(number: object) -> str:
    return f"write at least {number} of them, or leave the key out"
