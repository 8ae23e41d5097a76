"""From results of runs to the figures of a split: the one place that has this arithmetic.

For a split and a seed: 100 x (competitions with a medal) / (competitions of the split). Over seeds: the mean, the
standard error of the mean with n-1 in the deviation (0 for one seed), and mean ± 1.96 standard errors. A seed counts
only when it has a result for every competition of the split, unless missing ones are padded as failures. A seed keeps
its number: seeds are never paired anew by what succeeded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Protocol

from orchestrator.api.types import Figure

METRICS = ("any_medal", "gold", "silver", "bronze", "above_median", "valid", "submitted")
"""What is counted, by the name of the flag on a result."""

INTERVAL = 1.96
"""Standard errors on each side of the mean in a 95 % interval."""


class Result(Protocol):
    """One finished run: a competition, a seed and what came out."""

    @property
    def competition(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def any_medal(self) -> bool: ...
    @property
    def gold(self) -> bool: ...
    @property
    def silver(self) -> bool: ...
    @property
    def bronze(self) -> bool: ...
    @property
    def above_median(self) -> bool: ...
    @property
    def valid(self) -> bool: ...
    @property
    def submitted(self) -> bool: ...


@dataclass(frozen=True)
class RunResult:
    """A `Result` as plain data."""

    competition: str
    seed: int
    medal: str | None = None
    above_median: bool = False
    valid: bool = False
    submitted: bool = False

    @property
    def any_medal(self) -> bool:
        return self.medal is not None

    @property
    def gold(self) -> bool:
        return self.medal == "gold"

    @property
    def silver(self) -> bool:
        return self.medal == "silver"

    @property
    def bronze(self) -> bool:
        return self.medal == "bronze"


@dataclass(frozen=True)
class Summary:
    """The figures of one split."""

    seeds: tuple[int, ...] = ()
    """The seeds that count."""
    missing: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Competitions without a result, by seed: why a seed does not count, or what was padded."""
    per_seed: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Percentages by metric, in the order of `seeds`."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """Mean, standard error and interval by metric; empty while no seed counts."""


def figures(
    rows: Iterable[Result],
    split_ids: Collection[str],
    *,
    seeds: Iterable[int] | None = None,
    pad_missing: bool = False,
) -> Summary:
    """The figures of the split with these ids. Rows of other competitions are left out.

    `seeds` are the ones to look at; left out, those that any row has. With `pad_missing` a missing result counts as
    one without a submission, so that every seed counts; whoever shows the figures has to say so beside them.
    """
    wanted = frozenset(split_ids)
    if not wanted:
        raise ValueError("A split without competitions has no figures; name at least one competition.")
    found = _by_seed(rows, seeds)
    missing = {seed: tuple(sorted(wanted - results.keys())) for seed, results in found.items()}
    complete = tuple(seed for seed in found if pad_missing or not missing[seed])
    counts = {
        metric: tuple(
            sum(getattr(result, metric) for name, result in found[seed].items() if name in wanted) for seed in complete
        )
        for metric in METRICS
    }
    return Summary(
        seeds=complete,
        missing={seed: names for seed, names in missing.items() if names},
        per_seed={metric: tuple(100 * count / len(wanted) for count in counts[metric]) for metric in METRICS},
        figures={metric: figure(counts[metric], len(wanted)) for metric in METRICS} if complete else {},
    )


def _by_seed(rows: Iterable[Result], seeds: Iterable[int] | None) -> dict[int, dict[str, Result]]:
    found: dict[int, dict[str, Result]] = {seed: {} for seed in sorted(seeds or ())}
    for row in rows:
        if seeds is not None and row.seed not in found:
            continue
        results = found.setdefault(row.seed, {})
        if row.competition in results:
            raise ValueError(
                f"Two results for {row.competition}, seed {row.seed}; a run has one. Leave one of them out, or give "
                "it the seed that it was run with."
            )
        results[row.competition] = row
    return dict(sorted(found.items()))


def figure(counts: Sequence[int], size: int) -> Figure:
    """The figure of one count a seed, out of so many competitions; differences of counts may be negative.

    Whole numbers until the last step, so that equal seeds have a standard error of exactly 0.
    """
    n, total = len(counts), sum(counts)
    mean = 100 * total / (n * size)
    squares = n * sum(count * count for count in counts) - total * total  # n times the sum of squared deviations
    sem = 100 * sqrt(squares / (n - 1)) / (n * size) if n > 1 else 0.0
    return Figure(mean=mean, sem=sem, low95=mean - INTERVAL * sem, high95=mean + INTERVAL * sem)
