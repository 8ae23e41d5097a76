"""The screen of `mlectl leaderboard`."""

from __future__ import annotations

from orchestrator.cli.text import table
from orchestrator.report.leaderboard import Leaderboard
from orchestrator.report.words import one_line


def show_board(board: Leaderboard) -> str:
    """The board, best first, and why the experiment is not ranked if it is not."""
    rows = [
        [
            ">" if place.is_experiment else "",
            "-" if place.rank is None else str(place.rank),
            one_line(place.agent, 32),
            one_line(place.models, 40),
            f"{place.mean:.2f} ± {place.sem:.2f}",
            "" if place.hours is None else f"{place.hours:g}",
            place.date,
            one_line("; ".join(place.notes), 60),
        ]
        for place in board.places
    ]
    head = ["", "RANK", "AGENT", "MODELS", f"ANY MEDAL %, {board.split.upper()}", "HOURS", "DATE", "NOTE"]
    lines = [table(head, rows, right=[1, 4, 5])]
    if board.experiment and not any(place.is_experiment for place in board.places):
        lines.append(f"{board.experiment} has no figure for split {board.split} yet.")
    if board.reasons:
        lines.append(f"{board.experiment} can't be held against these:")
        lines += [f"  - {reason}" for reason in board.reasons]
    return "\n".join(lines).rstrip("\n") + "\n"
