"""Demo competitions made from data sets that scikit-learn ships: no account, no download, minutes instead of days.

They come in by the door that is open to every package: the entry point group `mlectl.competitions`. Each has a folder
with its facts, task text and made-up leaderboard, and a module with `fetch` (the raw files), `prepare` and `score`.
"""

from __future__ import annotations

from pathlib import Path

from catalog import Competition
from catalog.plugins import from_folder


def competitions() -> list[Competition]:
    """The demo competitions; nothing of scikit-learn is imported for this."""
    return [_competition(name) for name in ("tumours", "wine", "diabetes", "digits")]


def _competition(name: str) -> Competition:
    module = f"mlectl_demo.{name}"
    return from_folder(
        Path(__file__).parent / f"demo-{name}",
        preparer=f"{module}:prepare",
        grader=f"{module}:score",
        fetch=f"{module}:fetch",
    )
