"""Two experiments, A and B: what B gained over A, where both have a result for the same competition and seed.

The difference in any-medal percentage is taken seed by seed over the seeds that are complete in both, and its standard
error over those seeds, by the same arithmetic as the figures themselves. Seeds are few, so two exact tests over the
competitions stand beside it: one on medals (signs of the differences flipped in all ways), one on which of the two has
the better mean score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from statistics import fmean
from typing import Literal

from orchestrator.api.types import Figure
from orchestrator.core.summary import figure
from orchestrator.report import words
from orchestrator.report.figures import splits_covered
from orchestrator.report.result import ExperimentResult, Facts, Piece, RunRow
from orchestrator.report.significance import sign_flip_p, sign_test_p

METHOD = (
    "Difference B - A of any-medal %, paired by seed: mean over seeds complete in both, its standard error with n-1, "
    "and mean ± 1.96 standard errors. Medal test: exact sign-flip test over competitions. Score test: exact sign test "
    "over competitions by mean score in the metric's direction. Both two-sided."
)


class CompareError(Exception):
    """The two can't be compared; the message says why."""


class SplitDifference(Piece):
    """One split: both percentages over the same seeds, and their difference."""

    split: str
    competitions: int
    seeds: tuple[int, ...]
    """Seeds in which both have a result for every competition of the split."""
    a: float | None = None
    b: float | None = None
    difference: Figure | None = None
    """B - A in percentage points; None where no seed is complete in both."""


class CompetitionDifference(Piece):
    """One competition, over the seeds that both have a result for."""

    competition: str
    is_demo: bool = False
    lower_is_better: bool
    pairs: int
    medals_a: int
    medals_b: int
    gained: int
    """Pairs in which B has a medal and A has none."""
    lost: int
    score_a: float | None = None
    """Mean over pairs in which both have a score."""
    score_b: float | None = None
    better: Literal["A", "B"] | None = None
    """Who has the better mean score; None where they are equal or there is no such pair."""


class Comparison(Piece):
    """What sets B apart from A."""

    a: str
    b: str
    pairs: int
    splits: tuple[SplitDifference, ...]
    competitions: tuple[CompetitionDifference, ...]
    medal_p: float
    """How often a difference in medals at least this large comes about if A and B are equal."""
    better_b: int
    better_a: int
    score_p: float
    warnings: tuple[str, ...] = ()
    """What else differs between the two, or has to be known beside the difference."""
    method: str = METHOD


def compare(a: ExperimentResult, b: ExperimentResult) -> Comparison:
    """What B gained over A; `CompareError` where nothing pairs."""
    pairs = _pairs(a, b)
    if not pairs:
        raise CompareError(_why_nothing_pairs(a, b))
    by_competition: dict[str, list[tuple[RunRow, RunRow]]] = {}
    for left, right in pairs:
        by_competition.setdefault(left.competition, []).append((left, right))
    competitions = tuple(_competition(a.facts(id), paired) for id, paired in by_competition.items())
    better = [one.better for one in competitions]
    return Comparison(
        a=a.name,
        b=b.name,
        pairs=len(pairs),
        splits=tuple(_splits(pairs, a, b)),
        competitions=competitions,
        medal_p=sign_flip_p([Fraction(one.medals_b - one.medals_a, one.pairs) for one in competitions]),
        better_b=better.count("B"),
        better_a=better.count("A"),
        score_p=sign_test_p(better.count("B"), better.count("A")),
        warnings=tuple(_warnings(a, b, set(by_competition))),
    )


def _pairs(a: ExperimentResult, b: ExperimentResult) -> list[tuple[RunRow, RunRow]]:
    others = {(row.competition, row.seed): row for row in b.rows if row.counts}
    return [
        (row, others[row.competition, row.seed])
        for row in a.rows
        if row.counts and (row.competition, row.seed) in others
    ]


def _why_nothing_pairs(a: ExperimentResult, b: ExperimentResult) -> str:
    shared = {one.id for one in a.competitions} & {one.id for one in b.competitions}
    if not shared:
        return f"{a.name} and {b.name} have no competition in common, so there is nothing to compare."
    return (
        f"{a.name} and {b.name} share {words.count(len(shared), 'competition')}, but no run with the same competition "
        "and seed has a result in both. Wait until both have results, or run them with the same seeds."
    )


def _splits(
    pairs: Sequence[tuple[RunRow, RunRow]], a: ExperimentResult, b: ExperimentResult
) -> Iterator[SplitDifference]:
    shared = {one.id for one in a.competitions} & {one.id for one in b.competitions}
    for split, ids in splits_covered(shared).items():
        within = [pair for pair in pairs if pair[0].competition in ids]
        seeds = tuple(
            seed for seed in range(min(a.seeds, b.seeds)) if sum(pair[0].seed == seed for pair in within) == len(ids)
        )
        medals = [
            (
                sum(left.medal is not None for left, _ in within if left.seed == seed),
                sum(right.medal is not None for _, right in within if right.seed == seed),
            )
            for seed in seeds
        ]
        if not seeds:
            yield SplitDifference(split=split, competitions=len(ids), seeds=())
            continue
        yield SplitDifference(
            split=split,
            competitions=len(ids),
            seeds=seeds,
            a=figure([left for left, _ in medals], len(ids)).mean,
            b=figure([right for _, right in medals], len(ids)).mean,
            difference=figure([right - left for left, right in medals], len(ids)),
        )


def _competition(facts: Facts, pairs: Sequence[tuple[RunRow, RunRow]]) -> CompetitionDifference:
    scored = [(x.score, y.score) for x, y in pairs if x.score is not None and y.score is not None]
    score_a = fmean(left for left, _ in scored) if scored else None
    score_b = fmean(right for _, right in scored) if scored else None
    return CompetitionDifference(
        competition=facts.id,
        is_demo=facts.is_demo,
        lower_is_better=facts.lower_is_better,
        pairs=len(pairs),
        medals_a=sum(left.medal is not None for left, _ in pairs),
        medals_b=sum(right.medal is not None for _, right in pairs),
        gained=sum(right.medal is not None and left.medal is None for left, right in pairs),
        lost=sum(left.medal is not None and right.medal is None for left, right in pairs),
        score_a=score_a,
        score_b=score_b,
        better=_better(facts, score_a, score_b),
    )


def _better(facts: Facts, a: float | None, b: float | None) -> Literal["A", "B"] | None:
    if a is None or b is None or a == b:
        return None
    return "B" if (b < a) == facts.lower_is_better else "A"


def _warnings(a: ExperimentResult, b: ExperimentResult, compared: set[str]) -> Iterator[str]:
    for what, left, right in _settings(a, b):
        if left != right:
            yield f"Different {what}: {a.name} {left}, {b.name} {right}."
    for id in sorted(compared):
        digests = [experiment.ran.datasets.get(id, ()) for experiment in (a, b)]
        if all(digests) and digests[0] != digests[1]:
            yield f"Different data of {id}: {words.listed(digests[0], 1)} and {words.listed(digests[1], 1)}."
        lines = [(one.gold, one.silver, one.bronze) for one in (a.facts(id), b.facts(id))]
        if lines[0] != lines[1]:
            yield f"Different medal lines of {id}: {lines[0]} and {lines[1]} (gold, silver, bronze)."
    for experiment in (a, b):
        if experiment.unprotected:
            yield f"{experiment.name} ran unprotected."
    if a.is_demo or b.is_demo:
        yield "Medal lines of demo competitions are made up."
    left_out = sum(len(experiment.rows) for experiment in (a, b)) - 2 * len(_pairs(a, b))
    if left_out:
        yield f"{words.count(left_out, 'run')} without a counterpart left out."


def _settings(a: ExperimentResult, b: ExperimentResult) -> Iterator[tuple[str, str, str]]:
    yield "benchmark version", a.ran.benchmark, b.ran.benchmark
    yield "time of a run", words.duration(a.budget_hours * 3600), words.duration(b.budget_hours * 3600)
    yield "hardware", "; ".join(a.ran.hardware) or "not recorded", "; ".join(b.ran.hardware) or "not recorded"
    yield "network", "; ".join(a.ran.network), "; ".join(b.ran.network)
    yield "isolation", "; ".join(a.ran.isolation) or "not recorded", "; ".join(b.ran.isolation) or "not recorded"
    yield "retries of a failed agent", _agent_retries(a), _agent_retries(b)


def _agent_retries(result: ExperimentResult) -> str:
    return str(result.spec.get("retries", {}).get("agent", 0))
