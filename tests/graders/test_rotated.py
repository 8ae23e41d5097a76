"""Overlap of turned boxes, held against clipping one polygon with the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from graders.metrics.rotated import Boxes, box_iou_scores, ground_overlap

Points = list[tuple[float, float]]


def random_boxes(rng: np.random.Generator, count: int) -> np.ndarray:
    centres, sizes = rng.normal([2000, 600, -19], 1.0, (count, 3)), rng.uniform(0.5, 4, (count, 3))
    return np.column_stack([centres, sizes, rng.choice([0, np.pi / 2, np.pi, *rng.uniform(-4, 4, 9)], count)])


def clipped_area(polygon: Points, by: Points) -> float:
    """Sutherland and Hodgman's clipping, then the shoelace formula."""
    for (ax, ay), (bx, by_) in pairwise([*by, by[0]]):

        def side(p: tuple[float, float]) -> float:
            return (bx - ax) * (p[1] - ay) - (by_ - ay) * (p[0] - ax)  # noqa: B023

        kept: Points = []
        for p, q in pairwise([*polygon, polygon[0]] if polygon else []):
            if side(p) >= 0:
                kept.append(p)
            if (side(p) >= 0) != (side(q) >= 0):
                t = side(p) / (side(p) - side(q))
                kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
        polygon = kept
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in pairwise([*polygon, polygon[0]]))) / 2 if polygon else 0.0


def counter_clockwise(corners: np.ndarray, centre: np.ndarray) -> Points:
    around = corners - centre
    return [(float(x), float(y)) for x, y in sorted(around.tolist(), key=lambda p: turn(p, around.mean(axis=0)))]


def turn(point: list[float], middle: np.ndarray) -> float:
    return float(np.arctan2(point[1] - middle[1], point[0] - middle[0]))


@pytest.mark.parametrize("change", ["none", "other", "turned half", "shifted", "narrower", "touching"])
def test_overlap_on_the_ground_is_the_clipped_polygon(change: str) -> None:
    rng = np.random.default_rng(3)
    first = random_boxes(rng, 200)
    second = random_boxes(rng, 200) if change == "other" else first.copy()
    if change == "turned half":
        second[:, 6] += np.pi
    if change == "shifted":
        second[:, 0] += 0.3
    if change == "narrower":
        second[:, 3] *= 0.5
    if change == "touching":
        second[:, 0] += first[:, 4] * np.cos(first[:, 6])
        second[:, 1] += first[:, 4] * np.sin(first[:, 6])
    a, b = Boxes.of(first), Boxes.of(second)

    areas = ground_overlap(a, b)

    corners = zip(a.corners(), b.corners(), first[:, :2], strict=True)
    expected = [clipped_area(counter_clockwise(p, o), counter_clockwise(q, o)) for p, q, o in corners]
    assert areas == pytest.approx(expected, abs=1e-9)
    assert areas == pytest.approx(ground_overlap(b, a), abs=1e-9)


def test_a_box_and_itself_overlap_wholly_and_boxes_above_each_other_not_at_all() -> None:
    numbers = random_boxes(np.random.default_rng(4), 50)
    above = numbers + np.array([0, 0, 5, 0, 0, 0, 0])

    assert box_iou_scores(Boxes.of(numbers), Boxes.of(numbers)) == pytest.approx(np.ones(50))
    assert box_iou_scores(Boxes.of(numbers), Boxes.of(above)).tolist() == [0] * 50
