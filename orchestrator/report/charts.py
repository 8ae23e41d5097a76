"""Geometry of the page's charts: from results to coordinates. The template draws them; nothing here is markup.

Up is better in every chart, so the axis of a competition where lower is better is turned over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from orchestrator.report.result import ExperimentResult, Facts, RunRow, Snapshot, SplitResult

MEDAL_LINES = ("gold", "silver", "bronze", "median")


@dataclass(frozen=True)
class Interval:
    """A percentage on a line from 0 to 100: the mean, its 95 % interval and each seed, in percent."""

    mean: float
    low: float
    high: float
    seeds: tuple[float, ...]


@dataclass(frozen=True)
class Line:
    """A horizontal line across a chart."""

    name: str
    y: float


@dataclass(frozen=True)
class Track:
    """One seed over time, as an SVG path, and where it ends."""

    seed: int
    path: str
    end_x: float
    end_y: float
    medal: str | None
    label: str


@dataclass(frozen=True)
class ScoreChart:
    """A competition's scores over time, all seeds, on the medal lines."""

    competition: str
    width: float
    height: float
    lines: tuple[Line, ...]
    tracks: tuple[Track, ...]
    last_minutes: float


@dataclass(frozen=True)
class MedalChart:
    """The any-medal percentage of a split over time: each seed, and their mean."""

    split: str
    seeds: tuple[str, ...]
    mean: str
    final: float
    top: int
    """Where the axis ends, in percent: 25, 50, 75 or 100."""
    last_minutes: float


def interval_of(result: SplitResult) -> Interval | None:
    """The split's headline on a line from 0 to 100; the interval is cut where a percentage ends."""
    figure = result.any_medal
    if figure is None:
        return None
    return Interval(figure.mean, max(0.0, figure.low95), min(100.0, figure.high95), result.per_seed)


def score_chart(
    facts: Facts, rows: Sequence[RunRow], budget_minutes: float, *, width: float = 220.0, height: float = 96.0
) -> ScoreChart | None:
    """The scores of a competition over time; None where no seed has more than its final score."""
    timelines = {row.seed: _timeline(row, budget_minutes) for row in rows if row.snapshots and row.counts}
    scored = [point.score for points in timelines.values() for point in points if point.score is not None]
    if not scored:
        return None
    scale = _Scale.over(facts, scored, height)
    last = max(budget_minutes, *(points[-1].minutes for points in timelines.values()))
    medals = {row.seed: row.medal for row in rows}
    tracks = (_track(seed, points, medals[seed], scale, width / last) for seed, points in timelines.items())
    lines = (Line(name, scale.y(getattr(facts, name))) for name in MEDAL_LINES)
    return ScoreChart(facts.id, width, height, tuple(lines), tuple(track for track in tracks if track), last)


def medal_chart(
    result: ExperimentResult, split: SplitResult, *, width: float = 640.0, height: float = 180.0
) -> MedalChart | None:
    """How the share of medals grew; None where no snapshot was graded or no seed counts."""
    budget = result.budget_hours * 60
    wanted = set(split.competitions)
    rows = [row for row in result.rows if row.competition in wanted and row.seed in split.counted_seeds and row.counts]
    if not any(row.snapshots for row in rows):
        return None
    timelines = {seed: [_timeline(row, budget) for row in rows if row.seed == seed] for seed in split.counted_seeds}
    moments = sorted({0.0, budget, *(p.minutes for runs in timelines.values() for points in runs for p in points)})
    last = moments[-1]
    shares = {
        seed: [100 * sum(_has_medal(points, moment) for points in runs) / len(wanted) for moment in moments]
        for seed, runs in timelines.items()
    }
    means = [sum(values) / len(values) for values in zip(*shares.values(), strict=True)]
    top = 25 * max(1, ceil(max(max(values) for values in shares.values()) / 25))

    def draw(percentages: Iterable[float]) -> str:
        points = zip(moments, percentages, strict=True)
        return _steps((minutes * width / last, height * (1 - value / top)) for minutes, value in points)

    seeds = tuple(draw(values) for values in shares.values())
    return MedalChart(split.split, seeds, draw(means), means[-1], top, last)


@dataclass(frozen=True)
class _Scale:
    """From a score to a height: the best at the top, the median near the bottom, far worse scores on the ground."""

    top: float
    bottom: float
    sign: int
    height: float

    @classmethod
    def over(cls, facts: Facts, scores: Sequence[float], height: float) -> _Scale:
        sign = -1 if facts.lower_is_better else 1
        values = [sign * score for score in scores]
        gold, median = sign * facts.gold, sign * facts.median
        top = max(gold, median, *values)
        span = (top - median) or abs(median) or 1.0
        bottom = max(min(median, *values), median - 1.2 * span)
        margin = 0.08 * ((top - bottom) or span)
        return cls(top + margin, bottom - margin, sign, height)

    def y(self, score: float) -> float:
        share = (self.sign * score - self.bottom) / (self.top - self.bottom)
        return self.height * (1 - min(1.0, max(0.0, share)))


def _timeline(row: RunRow, budget_minutes: float) -> list[Snapshot]:
    """Its graded snapshots, then what was graded in the end, at the time that it had used by then."""
    end = row.consumed_seconds / 60 if row.consumed_seconds is not None else budget_minutes
    final = Snapshot(minutes=end, score=row.score, medal=row.medal, valid=bool(row.valid))
    return [*(one for one in row.snapshots if one.minutes < end and one.valid is not None), final]


def _track(seed: int, points: Sequence[Snapshot], medal: str | None, scale: _Scale, per_minute: float) -> Track | None:
    scored = [(point.minutes * per_minute, scale.y(point.score)) for point in points if point.score is not None]
    if not scored:
        return None
    label = f"seed {seed}: {' → '.join(f'{p.score:g}' for p in points if p.score is not None)}"
    return Track(seed, _steps(scored), *scored[-1], medal, label)


def _has_medal(points: Sequence[Snapshot], moment: float) -> bool:
    """Whether the newest submission at that moment was worth a medal."""
    held = [point for point in points if point.minutes <= moment]
    return bool(held) and held[-1].medal is not None


def _steps(points: Iterable[tuple[float, float]]) -> str:
    """A path that holds each height until the next point: a submission counts until there is another."""
    commands: list[str] = []
    last_y: float | None = None
    for x, y in points:
        if last_y is None:
            commands.append(f"M{_short(x)} {_short(y)}")
        else:
            commands.append(f"H{_short(x)}")
            if _short(y) != _short(last_y):
                commands.append(f"V{_short(y)}")
        last_y = y
    return "".join(commands)


def _short(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
