"""Lyft 3D: boxes one by one, rectangles clipped against each other edge by edge."""

from math import cos, sin
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious.reading import sorted_pair

Point = tuple[float, float]
Found = tuple[float, list[float], str]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "Id")
    thresholds = [0.5 + 0.05 * step for step in range(10)]
    rows = zip(predicted["PredictionString"], truth["PredictionString"], strict=True)
    values = [sample_value(parse(said), parse(true), t) for said, true in rows for t in thresholds]
    return float(np.mean(values))


def parse(text: object) -> list[Found]:
    if pd.isna(text) or not str(text).strip():
        return []
    words = str(text).split(" ")
    return [
        (float(words[at]), [float(word) for word in words[at + 1 : at + 8]], words[at + 8])
        for at in range(0, len(words), 9)
    ]


def sample_value(said: list[Found], true: list[Found], threshold: float) -> float:
    precisions = []
    for kind in sorted({name for _, _, name in true}):
        boxes = [box for _, box, name in true if name == kind]
        found = sorted(((c, box) for c, box, name in said if name == kind), key=lambda one: -one[0])
        precisions.append(average_precision([box for _, box in found], boxes, threshold) if found else 0.0)
    return float(np.mean(precisions))


def average_precision(found: list[list[float]], boxes: list[list[float]], threshold: float) -> float:
    taken = [False] * len(boxes)
    hits = []
    for box in found:
        overlaps = [iou(box, other) for other in boxes]
        best = int(np.argmax(overlaps))
        is_hit = overlaps[best] > threshold and not taken[best]
        taken[best] |= is_hit
        hits.append(is_hit)
    tp = np.cumsum(hits)
    recall = np.concatenate([[0], tp / len(boxes), [1]])
    precision = np.concatenate([[0], tp / np.arange(1, len(hits) + 1), [0]])
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall) * precision[1:]))


def iou(a: list[float], b: list[float]) -> float:
    area = overlap_area(corners(a), corners(b))
    height = max(0.0, min(a[2] + a[5] / 2, b[2] + b[5] / 2) - max(a[2] - a[5] / 2, b[2] - b[5] / 2))
    common = area * height
    return min(1.0, max(0.0, common / (a[3] * a[4] * a[5] + b[3] * b[4] * b[5] - common)))


def corners(box: list[float]) -> list[Point]:
    x, y, _, width, length, _, yaw = box
    ahead = (length / 2 * cos(yaw), length / 2 * sin(yaw))
    aside = (width / 2 * sin(yaw), -width / 2 * cos(yaw))
    signs = ((1, 1), (1, -1), (-1, -1), (-1, 1))
    return [(x + i * ahead[0] + j * aside[0], y + i * ahead[1] + j * aside[1]) for i, j in signs]


def overlap_area(first: list[Point], second: list[Point]) -> float:
    """Sutherland and Hodgman: cut the first by each edge of the second, which runs counter-clockwise."""
    shape = first
    for (ax, ay), (bx, by) in zip(second, second[1:] + second[:1], strict=True):
        sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in shape]
        cut: list[Point] = []
        for place, (point, side) in enumerate(zip(shape, sides, strict=True)):
            before, side_before = shape[place - 1], sides[place - 1]
            if (side >= 0) != (side_before >= 0):
                share = side_before / (side_before - side)
                cut.append((before[0] + share * (point[0] - before[0]), before[1] + share * (point[1] - before[1])))
            if side >= 0:
                cut.append(point)
        shape = cut
        if not shape:
            return 0.0
    turned = shape[1:] + shape[:1]
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(shape, turned, strict=True))) / 2
