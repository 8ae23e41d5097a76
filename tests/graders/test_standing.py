"""Medals, the median and the share of people beaten, in both directions."""

from __future__ import annotations

import pytest

from catalog import MedalLines
from graders.standing import is_above_median, medal_of, percent_beaten

HIGH = MedalLines(gold=0.9, silver=0.8, bronze=0.7, median=0.5, teams=100)
LOW = MedalLines(gold=0.1, silver=0.2, bronze=0.3, median=0.5, teams=100)


@pytest.mark.parametrize(
    ("score", "lines", "lower_is_better", "medal"),
    [
        (0.9, HIGH, False, "gold"),
        (1.0, HIGH, False, "gold"),
        (0.89999, HIGH, False, "silver"),
        (0.8, HIGH, False, "silver"),
        (0.7, HIGH, False, "bronze"),
        (0.69999, HIGH, False, None),
        (0.1, LOW, True, "gold"),
        (0.10001, LOW, True, "silver"),
        (0.3, LOW, True, "bronze"),
        (0.30001, LOW, True, None),
    ],
)
def test_a_score_on_the_line_has_the_medal(
    score: float, lines: MedalLines, lower_is_better: bool, medal: str | None
) -> None:
    assert medal_of(score, lines, lower_is_better=lower_is_better) == medal


def test_one_line_for_all_medals_gives_gold() -> None:
    lines = MedalLines(gold=1.0, silver=1.0, bronze=1.0, median=0.9991, teams=1221)

    assert medal_of(1.0, lines, lower_is_better=False) == "gold"


def test_the_median_must_be_beaten_and_not_just_reached() -> None:
    assert is_above_median(0.50001, HIGH, lower_is_better=False)
    assert not is_above_median(0.5, HIGH, lower_is_better=False)
    assert is_above_median(0.49999, LOW, lower_is_better=True)
    assert not is_above_median(0.5, LOW, lower_is_better=True)


POINTS = [float(100 - k) for k in range(101)]


@pytest.mark.parametrize(
    ("score", "percent"),
    [(101, 100), (100, 99), (70.5, 70), (70, 69), (0.5, 0), (0, 0), (-1, 0)],
)
def test_equal_scores_are_not_beaten(score: float, percent: float) -> None:
    assert percent_beaten(score, POINTS, lower_is_better=False) == percent
    assert percent_beaten(-score, [-p for p in POINTS], lower_is_better=True) == percent


def test_without_a_leaderboard_there_is_no_share() -> None:
    assert percent_beaten(1.0, (), lower_is_better=True) is None
