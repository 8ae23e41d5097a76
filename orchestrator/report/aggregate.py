"""`mlectl aggregate`: grading reports, one a seed, become figures by split.

aggregate([Path("seed0.json"), Path("seed1.json")]).splits[0].any_medal.mean
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import catalog
from orchestrator.report.figures import canonical, split_result, splits_touched
from orchestrator.report.grading import ReportError, SeedReport, differing_lines, read_seeds
from orchestrator.report.result import Piece, SplitResult


class Aggregate(Piece):
    """Figures by split, over the seeds that were read."""

    seeds: tuple[str, ...]
    """Where each seed came from; seed k of a split's figures is entry k here."""
    splits: tuple[SplitResult, ...]
    notes: tuple[str, ...] = ()
    """What has to be said beside the figures."""


def aggregate(paths: Sequence[Path], *, split: str | None = None, pad_missing: bool = False) -> Aggregate:
    """The figures of a split, or of every split that the reports touch; `ReportError` says what is wrong."""
    if not paths:
        raise ReportError("There is nothing to aggregate: name at least one grading report, one a seed.")
    seeds = read_seeds(paths)
    results = [result for number, seed in enumerate(seeds) for result in seed.results(number)]
    found = {result.competition for result in results}
    chosen = _choose(split, found)
    figures = tuple(
        split_result(name, ids, results, seeds=range(len(seeds)), pad_missing=pad_missing)
        for name, ids in chosen.items()
    )
    return Aggregate(
        seeds=tuple(seed.label for seed in seeds),
        splits=figures,
        notes=(*_padding_notes(figures), *_line_notes(seeds), *_stray_notes(found, chosen, split)),
    )


def _choose(split: str | None, found: set[str]) -> dict[str, tuple[str, ...]]:
    if split is not None:
        ids = catalog.ids(split)
        if not ids:
            raise ReportError(f"Split {split} has no competition here; install the package that brings them.")
        return {canonical(split): ids}
    touched = splits_touched(found)
    if not touched:
        raise ReportError(
            f"None of the reported competitions is in a split ({', '.join(sorted(found))}), so there is no figure."
        )
    return touched


def _padding_notes(figures: Sequence[SplitResult]) -> list[str]:
    return [_padding_note(result) for result in figures if result.padded]


def _padding_note(result: SplitResult) -> str:
    missing = sum(len(seed.competitions) for seed in result.missing)
    what = (
        "1 missing result is counted as a failure"
        if missing == 1
        else f"{missing} missing results are counted as failures"
    )
    return f"{result.split}: {what}, in {len(result.missing)} of {len(result.counted_seeds)} seeds (--pad-missing)."


def _line_notes(seeds: Sequence[SeedReport]) -> list[str]:
    """Medals are counted as the reports have them; whoever reads the figure should know where the lines were others."""
    notes: dict[str, str] = {}
    for seed in seeds:
        for report in seed.reports:
            if lines := differing_lines(report):
                notes.setdefault(report.competition_id, f"{seed.label}: {', '.join(lines)}")
    return [
        f"{id}: medal lines are not the catalog's in {text}. Its medals count as reported."
        for id, text in notes.items()
    ]


def _stray_notes(found: set[str], chosen: dict[str, tuple[str, ...]], split: str | None) -> list[str]:
    strays = sorted(found.difference(*chosen.values()))
    if not strays:
        return []
    where = f"split {split}" if split else "any split"
    return [f"Not in {where}, so in no figure: {', '.join(strays)}."]
