"""Where a score stands among people's: the medal, the median and the share of teams that it beats."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from catalog import MedalLines
from graders.report import Medal


def medal_of(score: float, lines: MedalLines, *, lower_is_better: bool) -> Medal | None:
    """The best medal whose line the score reaches; a score on the line has it."""
    reached: list[tuple[Medal, float]] = [("gold", lines.gold), ("silver", lines.silver), ("bronze", lines.bronze)]
    return next((m for m, line in reached if (score <= line if lower_is_better else score >= line)), None)


def is_above_median(score: float, lines: MedalLines, *, lower_is_better: bool) -> bool:
    """Whether the score is strictly better than the median."""
    return score < lines.median if lower_is_better else score > lines.median


def percent_beaten(score: float, percentiles: Sequence[float], *, lower_is_better: bool) -> float | None:
    """Percent of the teams that the score is strictly better than; None where the leaderboard is not known.

    `percentiles` are the scores at 0 %, 1 %, … 100 % of the teams, best first. Who beats the team at 30 %, and not that
    at 29 %, beats 70 % of the teams.

    >>> percent_beaten(0.5, [k / 100 for k in range(101)], lower_is_better=True)
    49.0
    """
    if not percentiles:
        return None
    worst_first = [-s for s in reversed(percentiles)] if lower_is_better else list(reversed(percentiles))
    beaten = bisect_left(worst_first, -score if lower_is_better else score)
    return max(0.0, 100.0 * (beaten - 1) / (len(percentiles) - 1))
