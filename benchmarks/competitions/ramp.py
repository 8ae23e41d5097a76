"""Enlarge the data of a piece of work until it takes long enough to be measured, and hold it against the obvious way.

A ramp ends when the three largest sizes are above the noise and the last took ENOUGH_SECONDS, or when the next data
would take too long to make. Each size is measured in two rounds, and the better one counts, because whatever else the
machine does can only make a round slower. A ramp that seems to grow too fast is gone through once more.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.competitions.growth import FITTED, Point, grows_too_fast, is_measurable
from benchmarks.competitions.measure import Cost, WorkFailed, measure
from benchmarks.competitions.work import Work

ROUNDS = 2
COMPARED_ROUNDS = 4
"""More, because a ratio of two measurements has the errors of both."""
MOST_SECONDS = 600.0
COMPARED_FROM_SECONDS = 0.1
LONG_SECONDS = 10.0
"""The obvious way is not measured again when it has taken as long as that."""
LARGEST_STEP = 16


@dataclass(frozen=True)
class Patience:
    """How far to go: seconds that the work itself should take, and that making its data may."""

    enough_seconds: float = 0.4
    making_seconds: float = 5.0


@dataclass(frozen=True)
class Comparison:
    """Ours and the obvious implementation on the same data."""

    n: int
    size: float
    our_seconds: float
    obvious_seconds: float
    floor_seconds: float | None = None
    """What every implementation does at least, where that is known."""

    @property
    def ratio(self) -> float:
        return self.obvious_seconds / self.our_seconds


def climb(work: Work, folder: Path, patience: Patience) -> list[Point]:
    """Measurements of one piece of work at growing sizes."""
    points = _climb(work, folder, patience)
    if grows_too_fast(points):
        again = {point.n: point for point in _climb(work, folder, patience)}
        points = [point.or_better(again.get(point.n, point)) for point in points]
    return points


def _climb(work: Work, folder: Path, patience: Patience) -> list[Point]:
    points: list[Point] = []
    n, smallest = work.first, folder / "smallest"
    _make(work, smallest, n)
    while True:
        with _data(work, folder, n) as (data, made):
            size = made.outcome
            costs = [measure(lambda: work.run(data), lambda: work.run(smallest), most_seconds=MOST_SECONDS)]
            if costs[0].cpu_seconds < 2 * patience.enough_seconds:
                costs += [
                    measure(lambda: work.run(data), lambda: work.run(smallest), most_seconds=MOST_SECONDS)
                    for _ in range(ROUNDS - 1)
                ]
        best = min(costs, key=lambda cost: cost.cpu_seconds)
        points.append(Point(n, size, best.cpu_seconds, best.wall_seconds, max(cost.peak_mb for cost in costs)))
        if best.cpu_seconds >= patience.enough_seconds and sum(map(is_measurable, points)) >= FITTED:
            break
        step = _step(best.cpu_seconds, made.cpu_seconds, patience)
        if step < 2 or step * n > work.most:
            break
        n *= step
    shutil.rmtree(smallest)
    return points


def _step(seconds: float, making_seconds: float, patience: Patience) -> int:
    """How many times larger the next data are: twice, or far more where the last ones took next to no time."""
    wanted = patience.enough_seconds / 4 / max(seconds, 0.001)
    possible = patience.making_seconds / max(making_seconds, 0.001)
    return int(min(max(2, min(wanted, LARGEST_STEP)), possible))


def compare(work: Work, points: list[Point], folder: Path) -> Comparison | None:
    """Ours against the obvious implementation, where there is one; raises if they do not agree."""
    if work.obvious is None:
        return None
    obvious, floor = work.obvious, work.floor
    n = next((point.n for point in points if point.cpu_seconds >= COMPARED_FROM_SECONDS), points[-1].n)
    smallest = folder / "smallest"
    _make(work, smallest, work.first)
    with _data(work, folder, n) as (data, made):
        ours, plain, least = [], [], []
        for _ in range(COMPARED_ROUNDS):  # by turns, so that a busy minute of the machine falls on both
            ours.append(measure(lambda: work.run(data), lambda: work.run(smallest), most_seconds=MOST_SECONDS))
            if sum(cost.cpu_seconds for cost in plain) < LONG_SECONDS:
                plain.append(measure(lambda: obvious(data), lambda: obvious(smallest), most_seconds=MOST_SECONDS))
            if floor is not None:
                least.append(measure(lambda: floor(data), lambda: floor(smallest), most_seconds=MOST_SECONDS))
        found, expected = work.essence(ours[0].outcome), work.essence(plain[0].outcome)
    shutil.rmtree(smallest)
    if found != expected:
        raise WorkFailed(f"{work.name}: ours and the obvious implementation differ: {_difference(found, expected)}")
    return Comparison(n, made.outcome, _least(ours), _least(plain), _least(least) if least else None)


def _least(costs: list[Cost]) -> float:
    return min(cost.cpu_seconds for cost in costs)


def _difference(found: Any, expected: Any) -> str:
    if not isinstance(found, dict):
        return f"{found} and {expected}"
    differing = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
    return f"{len(differing)} files, for instance {', '.join(differing[:3])}"


@contextmanager
def _data(work: Work, folder: Path, n: int) -> Iterator[tuple[Path, Cost]]:
    at = Path(tempfile.mkdtemp(prefix=f"{n}-", dir=folder))
    try:
        yield at / "data", _make(work, at / "data", n)
    finally:
        shutil.rmtree(at)


def _make(work: Work, at: Path, n: int) -> Cost:
    """Make the data in another process; what it took, and the size."""
    at.mkdir(parents=True)
    return measure(lambda: work.make(at, n), lambda: None, most_seconds=MOST_SECONDS)
