"""Figures by split as a table, with what has to be said beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orchestrator.api.types import Figure
from orchestrator.cli.text import table
from orchestrator.report.result import SplitResult
from orchestrator.report.words import NONE, count, interval, listed, plus_minus

_HEADERS = [
    "SPLIT",
    "SIZE",
    "SEEDS",
    "ANY MEDAL %",
    "95 % INTERVAL",
    "GOLD",
    "SILVER",
    "BRONZE",
    "ABOVE MEDIAN",
    "VALID",
]
_RIGHT = [1, 2, 3, 4, 5, 6, 7, 8, 9]
_MOST_NAMED = 3


def show_figures(splits: Sequence[SplitResult]) -> str:
    """A line for each split, and the seeds that are not in it."""
    notes = [note for split in splits for note in _missing(split)]
    if any(split.padded for split in splits):
        notes.append("* missing results are counted as failures")
    shown = table(_HEADERS, [_row(split) for split in splits], _RIGHT)
    return shown + ("\n" + "\n".join(notes) + "\n" if notes else "")


def percent(figure: Figure | None, seeds: int) -> str:
    """Mean and standard error; the error only where there is more than one seed to have one."""
    if figure is None:
        return NONE
    return plus_minus(figure) if seeds > 1 else f"{figure.mean:.2f}"


def _row(split: SplitResult) -> list[str]:
    seeds = len(split.counted_seeds)
    medal = split.any_medal
    means = [split.gold, split.silver, split.bronze, split.above_median, split.valid]
    return [
        split.split,
        str(len(split.competitions)),
        str(seeds),
        percent(medal, seeds) + (" *" if split.padded else ""),
        interval(medal, 2) if seeds > 1 else NONE,
        *(f"{figure.mean:.2f}" if figure else NONE for figure in means),
    ]


def _missing(split: SplitResult) -> Iterator[str]:
    if split.padded:
        return
    for seed in split.missing:
        names = count(len(seed.competitions), "competition")
        some = listed(seed.competitions, _MOST_NAMED)
        yield f"{split.split}: seed {seed.seed} is not complete and does not count; {names} missing: {some}"
