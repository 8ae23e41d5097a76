"""The screen of `mlectl compare`."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.cli.text import paragraph, table
from orchestrator.report.compare import Comparison, CompetitionDifference, SplitDifference
from orchestrator.report.words import NONE, count, interval, one_line, score


def show_comparison(found: Comparison) -> str:
    """By split, by competition, and how likely chance alone is."""
    splits = table(
        ["SPLIT", "SIZE", "SEEDS", "A %", "B %", "B - A", "95 % INTERVAL"],
        [_split(split) for split in found.splits],
        right=[1, 2, 3, 4, 5, 6],
    )
    competitions = table(
        ["COMPETITION", "PAIRS", "MEDALS A", "MEDALS B", "SCORE A", "SCORE B", "BETTER"],
        [_competition(one) for one in found.competitions],
        right=[1, 2, 3, 4, 5],
    )
    head = f"A {found.a}   B {found.b}   {count(found.pairs, 'pair')} of runs\n"
    return "\n".join([head, splits, competitions, *_tests(found)]) + "\n"


def _split(split: SplitDifference) -> list[str]:
    seeds = len(split.seeds)
    start = [split.split, str(split.competitions), str(seeds)]
    if split.difference is None or split.a is None or split.b is None:
        return [*start, NONE, NONE, NONE, NONE]
    spread = f" ± {split.difference.sem:.2f}" if seeds > 1 else ""
    gained = f"{split.difference.mean:+.2f}{spread}"
    return [*start, f"{split.a:.2f}", f"{split.b:.2f}", gained, interval(split.difference, 2) if seeds > 1 else NONE]


def _competition(one: CompetitionDifference) -> list[str]:
    arrow = "↓" if one.lower_is_better else "↑"
    return [
        f"{one.competition} {arrow}",
        str(one.pairs),
        str(one.medals_a),
        str(one.medals_b),
        score(one.score_a),
        score(one.score_b),
        one.better or "",
    ]


def _tests(found: Comparison) -> Iterator[str]:
    yield f"medals    p = {found.medal_p:.3g} if A and B are equal"
    yield f"scores    B better in {found.better_b}, A in {found.better_a}; p = {found.score_p:.3g} if they are equal"
    for warning in found.warnings:
        yield paragraph(one_line(warning, 2000), "mind      ")
    yield paragraph(found.method, "method    ")
