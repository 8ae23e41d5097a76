"""Kaggle's medal rule: which positions of a private leaderboard win a medal, and the scores that stand there.

The published competitions have their lines in facts.toml; this is for a competition that comes with a leaderboard of
its own.
"""

from collections.abc import Iterable
from math import isnan
from statistics import median
from typing import NamedTuple

from catalog.competition import MedalLines


class MedalPositions(NamedTuple):
    """The last position, counted from 1, that wins each medal."""

    gold: int
    silver: int
    bronze: int


def medal_positions(teams: int) -> MedalPositions:
    """Where the medals end on a leaderboard of so many teams; shares are cut to whole positions, at least 1."""
    if teams < 1:
        raise ValueError(f"A leaderboard of {teams} teams has no medals: at least one score is needed.")
    if teams < 100:
        return MedalPositions(max(1, teams // 10), max(1, teams // 5), max(1, teams * 2 // 5))
    if teams < 250:
        return MedalPositions(10, teams // 5, teams * 2 // 5)
    if teams < 1000:
        return MedalPositions(10 + teams // 500, 50, 100)
    return MedalPositions(10 + teams // 500, teams // 20, teams // 10)


def medal_lines(scores: Iterable[float], lower_is_better: bool) -> MedalLines:
    """The medal lines of a private leaderboard, given each team's score in any order."""
    ranked = rank(scores, lower_is_better)
    at = medal_positions(len(ranked))
    return MedalLines(
        gold=ranked[at.gold - 1],
        silver=ranked[at.silver - 1],
        bronze=ranked[at.bronze - 1],
        median=median(ranked),
        teams=len(ranked),
    )


def percentiles(scores: Iterable[float], lower_is_better: bool) -> tuple[float, ...]:
    """The score at 0 %, 1 %, … 100 % of the teams, best first; between two positions, the nearer one."""
    ranked = rank(scores, lower_is_better)
    last = len(ranked) - 1
    return tuple(ranked[round(percent * last / 100)] for percent in range(101))


def rank(scores: Iterable[float], lower_is_better: bool) -> list[float]:
    """The scores from best to worst."""
    ranked = sorted((float(score) for score in scores), reverse=not lower_is_better)
    if any(isnan(score) for score in ranked):
        raise ValueError("A leaderboard has a score that is not a number (NaN): leave that team out.")
    return ranked
