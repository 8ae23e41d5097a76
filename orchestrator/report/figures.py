"""Figures by split, for people: core's arithmetic, put into the form that reports show.

Which splits are worth showing is decided here, once, for reports from a store and for grading reports from files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import catalog
from orchestrator.core.model import CompetitionFacts
from orchestrator.core.splits import choose_splits
from orchestrator.core.summary import Result, Summary, figures
from orchestrator.report.result import Missing, SplitResult

SHOWN = ("low", "medium", "high", "all", "dev", "demo")
"""Splits by one name each (lite is low), in the order in which they are shown."""


def split_result(
    split: str, ids: Collection[str], results: Iterable[Result], *, seeds: Iterable[int], pad_missing: bool = False
) -> SplitResult:
    """The figures of one split over these results."""
    summary = figures(results, ids, seeds=seeds, pad_missing=pad_missing)
    return SplitResult(
        split=split,
        competitions=tuple(sorted(ids, key=str.lower)),
        counted_seeds=summary.seeds,
        per_seed=summary.per_seed["any_medal"],
        missing=_missing(summary),
        padded=pad_missing and bool(summary.missing),
        **summary.figures,
    )


def canonical(split: str) -> str:
    """The one name that a split is shown by."""
    return "low" if split == "lite" else split


def splits_covered(ids: Collection[str]) -> dict[str, frozenset[str]]:
    """Every split that these competitions hold all of, and the choice itself where it is none: as the status has it."""
    return choose_splits(frozenset(ids), _memberships())


def splits_touched(ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Every split that has any of these competitions; `all` only where more than one complexity does."""
    found = frozenset(ids)
    touched = {split: names for split in SHOWN if not found.isdisjoint(names := catalog.ids(split))}
    if len(touched.keys() & {"low", "medium", "high"}) < 2:
        touched.pop("all", None)
    return touched


def _missing(summary: Summary) -> tuple[Missing, ...]:
    return tuple(Missing(seed=seed, competitions=names) for seed, names in summary.missing.items())


def _memberships() -> dict[str, CompetitionFacts]:
    """Which splits each competition is in; from the catalog's index, so that no competition's facts are read for it."""
    splits: dict[str, set[str]] = {id: set() for id in catalog.ids()}
    for split in SHOWN:
        for id in catalog.ids(split):
            splits[id].add(split)
    return {id: CompetitionFacts(id, frozenset(names), size_gb=0.0) for id, names in splits.items()}
