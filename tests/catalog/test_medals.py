"""Kaggle's medal rule: the table of positions, its edges, and what must hold of any leaderboard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.medals import medal_lines, medal_positions, percentiles

finite = st.floats(allow_nan=False, allow_infinity=False)
boards = st.lists(finite, min_size=1, max_size=400)


@pytest.mark.parametrize(
    "teams, gold, silver, bronze",
    [
        pytest.param(1, 1, 1, 1, id="one team wins everything"),
        pytest.param(2, 1, 1, 1, id="at least one position for each medal"),
        pytest.param(4, 1, 1, 1, id="1.6 is cut to 1"),
        pytest.param(5, 1, 1, 2, id="5 teams: 40 % is 2"),
        pytest.param(19, 1, 3, 7, id="1.9, 3.8 and 7.6 are cut"),
        pytest.param(99, 9, 19, 39, id="the last with shares only"),
        pytest.param(100, 10, 20, 40, id="the first with ten golds"),
        pytest.param(249, 10, 49, 99, id="the last with a share of silver"),
        pytest.param(250, 10, 50, 100, id="the first with fifty silvers"),
        pytest.param(499, 10, 50, 100, id="no eleventh gold yet"),
        pytest.param(500, 11, 50, 100, id="an eleventh gold"),
        pytest.param(999, 11, 50, 100, id="the last with fifty silvers"),
        pytest.param(1000, 12, 50, 100, id="the first with five percent"),
        pytest.param(1019, 12, 50, 101, id="50.95 and 101.9 are cut"),
        pytest.param(4539, 19, 226, 453, id="a large one"),
    ],
)
def test_where_the_medals_end(teams: int, gold: int, silver: int, bronze: int) -> None:
    assert medal_positions(teams) == (gold, silver, bronze)


def test_the_rule_knows_no_leaderboard_without_teams() -> None:
    with pytest.raises(ValueError, match="0 teams"):
        medal_positions(0)


@given(st.integers(1, 20_000))
def test_medals_are_nested_and_never_reach_beyond_the_board(teams: int) -> None:
    at = medal_positions(teams)
    assert 1 <= at.gold <= at.silver <= at.bronze <= teams


@given(st.integers(1, 20_000))
def test_one_more_team_never_costs_a_medal(teams: int) -> None:
    now, then = medal_positions(teams), medal_positions(teams + 1)
    assert all(before <= after for before, after in zip(now, then, strict=True))


def test_lines_are_the_scores_at_those_positions() -> None:
    lines = medal_lines([float(score) for score in range(1, 151)], lower_is_better=True)
    assert (lines.gold, lines.silver, lines.bronze, lines.median, lines.teams) == (10, 30, 60, 75.5, 150)
    lines = medal_lines([float(score) for score in range(1, 151)], lower_is_better=False)
    assert (lines.gold, lines.silver, lines.bronze, lines.median, lines.teams) == (141, 121, 91, 75.5, 150)


@given(boards, st.booleans())
def test_as_many_teams_reach_a_line_as_the_rule_says(scores: list[float], lower_is_better: bool) -> None:
    lines = medal_lines(scores, lower_is_better)
    for line, position in zip((lines.gold, lines.silver, lines.bronze), medal_positions(len(scores)), strict=True):
        better = sum(score < line if lower_is_better else score > line for score in scores)
        reaching = sum(score <= line if lower_is_better else score >= line for score in scores)
        assert better < position <= reaching


@given(boards)
def test_turning_the_scores_round_turns_the_lines_round(scores: list[float]) -> None:
    up = medal_lines([-score for score in scores], lower_is_better=False)
    down = medal_lines(scores, lower_is_better=True)
    assert (up.gold, up.silver, up.bronze) == (-down.gold, -down.silver, -down.bronze)


@given(boards, st.booleans(), st.randoms())
def test_the_order_of_the_teams_does_not_matter(scores: list[float], lower_is_better: bool, random) -> None:
    shuffled = random.sample(scores, len(scores))
    assert medal_lines(shuffled, lower_is_better) == medal_lines(scores, lower_is_better)
    assert percentiles(shuffled, lower_is_better) == percentiles(scores, lower_is_better)


@given(boards, st.booleans())
def test_percentiles_go_from_the_best_score_to_the_worst(scores: list[float], lower_is_better: bool) -> None:
    shares = percentiles(scores, lower_is_better)
    assert len(shares) == 101
    assert list(shares) == sorted(shares, reverse=not lower_is_better)
    assert {shares[0], shares[100]} == {min(scores), max(scores)}


def test_a_score_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        medal_lines([0.1, float("nan"), 0.3], lower_is_better=True)
