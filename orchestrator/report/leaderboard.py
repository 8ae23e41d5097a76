"""An experiment beside the published entries of MLE-bench's board.

`published.csv` holds the board as of 24 April 2026, the month in which it was closed to new entries: any-medal
percentages with their standard errors, as published. An entry that had used feedback from the test set is listed
without a rank; so is an experiment whose figure can't be held against the others, with every reason why.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import catalog
from orchestrator.api.departures import SEEDS
from orchestrator.api.types import Figure
from orchestrator.report.figures import canonical
from orchestrator.report.result import ExperimentResult, Piece, SplitResult

PUBLISHED = Path(__file__).with_name("published.csv")
RANKED = ("low", "medium", "high", "all")


class LeaderboardError(Exception):
    """There is no board for what was asked; the message says what to ask for."""


class Entry(Piece):
    """One row of the published board."""

    agent: str
    models: str
    means: dict[str, float]
    sems: dict[str, float]
    hours: float
    date: str
    notes: tuple[str, ...] = ()
    test_feedback: bool = False


class Place(Piece):
    """One line of the board for a split."""

    rank: int | None = None
    """None: not ranked."""
    agent: str
    models: str
    mean: float
    sem: float
    hours: float | None
    date: str
    notes: tuple[str, ...] = ()
    is_experiment: bool = False


class Leaderboard(Piece):
    """The board for one split, best first, what is not ranked among the rest where its figure would put it."""

    split: str
    places: tuple[Place, ...]
    experiment: str | None = None
    reasons: tuple[str, ...] = ()
    """Why the experiment can't be compared with the rest; empty: it can."""


@cache
def published() -> tuple[Entry, ...]:
    """Every published entry, in the order of the board."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        return tuple(_entry(row) for row in csv.DictReader(file))


def leaderboard(result: ExperimentResult | None = None, split: str | None = None) -> Leaderboard:
    """The board for a split, by default the widest that the experiment has a figure for, with the experiment in it."""
    chosen = canonical(split) if split else _widest(result)
    if chosen not in RANKED:
        raise LeaderboardError(f"Nobody published figures for split {split}; choose {', '.join(RANKED[:-1])} or all.")
    lines = [(_published_line(entry, chosen), not entry.test_feedback) for entry in published()]
    if result is None:
        return Leaderboard(split=chosen, places=_rank(lines))
    figures = next((figures for figures in result.figures if figures.split == chosen), None)
    reasons = tuple(reasons_against(result, chosen))
    if figures is not None and figures.any_medal is not None:
        lines.append((_own_line(result, figures.any_medal), not reasons))
    return Leaderboard(split=chosen, places=_rank(lines), experiment=result.name, reasons=reasons)


def reasons_against(result: ExperimentResult, split: str) -> Iterator[str]:
    """Everything that keeps the experiment's figure of a split from being held against published ones."""
    if result.is_demo:
        yield "It ran demo competitions, whose medal lines are made up: that is no result on the benchmark."
    figures = next((figures for figures in result.figures if figures.split == split), None)
    if figures is None:
        ran = {facts.id for facts in result.competitions}
        absent = len([id for id in catalog.ids(split) if id not in ran])
        yield f"It did not run {absent} of the {len(catalog.ids(split))} competitions of split {split}."
    else:
        yield from _incomplete(figures, result.seeds)
    if result.unprotected:
        yield "It ran unprotected: nothing kept the agent from files and networks of the machine."
    for departure in result.departures:
        yield f"Another setting: {departure}."


def _incomplete(figures: SplitResult, seeds: int) -> Iterator[str]:
    if figures.padded:
        yield "Missing results are counted as failures."
    elif figures.missing:
        yield f"{len(figures.missing)} of {seeds} seeds are not complete."
    if seeds >= SEEDS > len(figures.counted_seeds):
        yield f"{len(figures.counted_seeds)} complete seeds (published: {SEEDS} or more)."


def _widest(result: ExperimentResult | None) -> str:
    has = {figures.split for figures in result.figures} if result else set()
    return next((split for split in ("all", "low", "medium", "high") if split in has), "all")


def _rank(lines: Sequence[tuple[Place, bool]]) -> tuple[Place, ...]:
    """Best first. Lines that are to be ranked are; equal figures share a rank."""
    ordered = sorted(lines, key=lambda line: (-line[0].mean, line[0].is_experiment))
    standing = [place.mean for place, is_ranked in ordered if is_ranked]
    return tuple(
        place.model_copy(update={"rank": standing.index(place.mean) + 1}) if is_ranked else place
        for place, is_ranked in ordered
    )


def _published_line(entry: Entry, split: str) -> Place:
    return Place(
        agent=entry.agent,
        models=entry.models,
        mean=entry.means[split],
        sem=entry.sems[split],
        hours=entry.hours,
        date=entry.date,
        notes=entry.notes,
    )


def _own_line(result: ExperimentResult, figure: Figure) -> Place:
    return Place(
        agent=result.ran.agent,
        models=", ".join(result.ran.models) or "-",
        mean=figure.mean,
        sem=figure.sem,
        hours=result.budget_hours,
        date="this experiment",
        notes=("unprotected",) if result.unprotected else (),
        is_experiment=True,
    )


def _entry(row: dict[str, str]) -> Entry:
    flags = [
        ("chosen with feedback from the test set", row["test_feedback"]),
        ("missing runs counted as failures", row["padded"]),
        (row["remark"], row["remark"]),
    ]
    return Entry(
        agent=row["agent"],
        models=row["models"],
        means={split: float(row[f"{split}_mean"]) for split in RANKED},
        sems={split: float(row[f"{split}_sem"]) for split in RANKED},
        hours=float(row["hours"]),
        date=row["date"],
        notes=tuple(text for text, is_set in flags if is_set),
        test_feedback=bool(row["test_feedback"]),
    )
