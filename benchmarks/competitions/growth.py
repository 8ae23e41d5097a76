"""From measurements at growing sizes to one exponent: seconds grow like size to the power of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

NOISE_SECONDS = 0.02
"""Below this, what is measured is mostly the fixed cost of a call and the clock."""

LIMIT = 1.25
"""n log n at these sizes comes out at 1.1 or less; anything above the limit is looked at."""

FITTED = 3


@dataclass(frozen=True)
class Point:
    """What one size took: `n` as the data's maker counts, `size` that which the work should be proportional to."""

    n: int
    size: float
    cpu_seconds: float
    wall_seconds: float
    peak_mb: float

    def or_better(self, other: Point) -> Point:
        """The cheaper one of two measurements of the same size: a busy machine can only make it dearer."""
        return min(self, other, key=lambda point: point.cpu_seconds)


def is_measurable(point: Point) -> bool:
    return point.cpu_seconds >= NOISE_SECONDS


def exponent(points: Sequence[Point]) -> float | None:
    """The slope of log seconds over log size at the largest sizes; None where too few are above the noise.

    >>> exponent([Point(n, n, n**2 / 1e4, 0, 0) for n in (20, 40, 80)])
    2.0
    """
    fitted = [point for point in points if is_measurable(point)][-FITTED:]
    if len(fitted) < FITTED:
        return None
    sizes = [math.log(point.size) for point in fitted]
    seconds = [math.log(point.cpu_seconds) for point in fitted]
    middle, height = sum(sizes) / len(sizes), sum(seconds) / len(seconds)
    rise = sum((x - middle) * (y - height) for x, y in zip(sizes, seconds, strict=True))
    return round(rise / sum((x - middle) ** 2 for x in sizes), 2)


def grows_too_fast(points: Sequence[Point]) -> bool:
    """Whether the time grows faster than n log n, as far as it can be told."""
    slope = exponent(points)
    return slope is not None and slope > LIMIT
