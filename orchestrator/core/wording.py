"""Sentences for people, in events and conditions: on one line, without control characters, cut to size.

Some quote what an agent or a tool wrote, so nothing in them may move a terminal's cursor or flood a status.
"""

from __future__ import annotations

LONGEST = 1024
"""Characters. The API server refuses longer messages of events."""


def show(text: str, longest: int = LONGEST) -> str:
    """The text as it may be shown anywhere."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
