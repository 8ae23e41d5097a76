"""What the page's table of competitions shows: each competition with its seeds side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from orchestrator.api.types import RunState
from orchestrator.report import words
from orchestrator.report.result import ExperimentResult, Facts, RunRow

POINTS = {"gold": 3, "silver": 2, "bronze": 1, None: 0}
COMPLEXITIES = ("demo", "dev", "low", "medium", "high")


@dataclass(frozen=True)
class Cell:
    """One seed of one competition."""

    seed: int
    score: str
    medal: str | None
    what: str
    """What there is to say below the score."""
    reason: str | None
    """The class of its failure, if it failed."""
    is_missing: bool
    weight: float | None
    """By what the column sorts: medals first, then the teams beaten; None where there is no result."""


@dataclass(frozen=True)
class CompetitionView:
    """One row of the table."""

    facts: Facts
    cells: tuple[Cell, ...]
    mean_score: float | None
    beaten: float | None
    """Mean share of human teams beaten, in percent; a run without a score beats nobody."""
    results: int
    medals_won: int
    medals: int
    """Gold 3, silver 2, bronze 1, over all seeds: for sorting."""
    outcomes: tuple[str, ...]
    """What can be filtered by: `medal`, `no-medal`, `failed`, `missing`, `doubtful`."""
    search: str

    @property
    def complexity_rank(self) -> int:
        known = self.facts.complexity in COMPLEXITIES
        return COMPLEXITIES.index(self.facts.complexity) if known else len(COMPLEXITIES)


def competition_views(result: ExperimentResult) -> tuple[CompetitionView, ...]:
    """A view of each competition, in the order of the result."""
    return tuple(
        _view(facts, [row for row in result.rows if row.competition == facts.id]) for facts in result.competitions
    )


def _view(facts: Facts, rows: Sequence[RunRow]) -> CompetitionView:
    counted = [row for row in rows if row.counts]
    scores = [row.score for row in counted if row.score is not None]
    knows_teams = any(row.percentile is not None for row in counted) or not scores
    return CompetitionView(
        facts=facts,
        cells=tuple(_cell(row) for row in rows),
        mean_score=fmean(scores) if scores else None,
        beaten=fmean(row.percentile or 0.0 for row in counted) if counted and knows_teams else None,
        results=len(counted),
        medals_won=sum(row.medal is not None for row in counted),
        medals=sum(POINTS[row.medal] for row in counted),
        outcomes=tuple(_outcomes(facts, rows)),
        search=words.plain(f"{facts.id} {facts.name} {facts.category} {facts.metric}").lower(),
    )


def _cell(row: RunRow) -> Cell:
    return Cell(
        seed=row.seed,
        score=words.score(row.score) if row.counts else words.NONE,
        medal=row.medal,
        what=_say(row),
        reason=row.reason,
        is_missing=not row.counts,
        weight=POINTS[row.medal] * 1000 + (row.percentile or 0.0) if row.counts else None,
    )


def _say(row: RunRow) -> str:
    if row.reason is not None:
        return row.reason
    if not row.counts:
        return row.state.lower()
    if row.score is None:
        return "no finite score"
    if row.percentile is not None:
        return f"beats {row.percentile:.0f} %"
    return "above the median" if row.above_median else "below the median"


def _outcomes(facts: Facts, rows: Sequence[RunRow]) -> list[str]:
    found = {
        "medal": any(row.medal for row in rows),
        "no-medal": any(row.counts and not row.medal for row in rows),
        "failed": any(row.counts and row.state is RunState.FAILED for row in rows),
        "missing": any(not row.counts for row in rows),
        "doubtful": facts.doubtful is not None,
    }
    return [name for name, is_so in found.items() if is_so]
