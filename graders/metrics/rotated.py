"""Overlap of upright boxes that are turned about the vertical, for many pairs at once.

In the frame of the first rectangle the second is a convex polygon, and the overlap's area is the integral of how much
of a vertical line lies in both. That length is linear between the places where an edge ends or leaves the first
rectangle, so its value halfway between two of them times their distance is exact. Unlike clipping the polygon corner
by corner, this has no special cases: an edge on an edge is an interval of no width, or a line that is there anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from graders.metrics.arrays import Floats

BLOCK = 1 << 16


@dataclass(frozen=True)
class Boxes:
    """Boxes by their centre, size and turn; length runs along the direction of the yaw."""

    x: Floats
    y: Floats
    z: Floats
    width: Floats
    length: Floats
    height: Floats
    yaw: Floats

    @classmethod
    def of(cls, numbers: Floats) -> Self:
        """From an array with the seven numbers in columns: x, y, z, width, length, height, yaw."""
        return cls(*numbers.T)

    def __getitem__(self, lines: object) -> Boxes:
        return Boxes(*(getattr(self, name)[lines] for name in self.__dataclass_fields__))

    def __len__(self) -> int:
        return len(self.x)

    @property
    def volume(self) -> Floats:
        return self.width * self.length * self.height

    def corners(self) -> Floats:
        """The four corners on the ground, in order around the box: (boxes, corners, x and y)."""
        c, s, l, w = np.cos(self.yaw), np.sin(self.yaw), self.length / 2, self.width / 2  # noqa: E741
        sides = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
        xs = [self.x + a * l * c + b * w * s for a, b in sides]
        ys = [self.y + a * l * s - b * w * c for a, b in sides]
        return np.stack([np.stack(xs, axis=1), np.stack(ys, axis=1)], axis=2)


def box_iou_scores(first: Boxes, second: Boxes) -> Floats:
    """The common volume by the volume of either, for each line of two lists of boxes.

    >>> box = Boxes.of(np.array([[0.0, 0, 0, 2, 4, 1, 0.3]]))
    >>> box_iou_scores(box, Boxes.of(np.array([[0.0, 0, 0.5, 2, 4, 1, 0.3]]))).round(5).tolist()
    [0.33333]
    """
    blocks = [slice(start, start + BLOCK) for start in range(0, len(first), BLOCK)]
    return np.concatenate([np.empty(0), *(_iou(first[block], second[block]) for block in blocks)])


def _iou(first: Boxes, second: Boxes) -> Floats:
    top = np.minimum(first.z + first.height / 2, second.z + second.height / 2)
    bottom = np.maximum(first.z - first.height / 2, second.z - second.height / 2)
    both = ground_overlap(first, second) * np.maximum(top - bottom, 0)
    iou: Floats = np.clip(both / (first.volume + second.volume - both), 0, 1)
    return iou


def ground_overlap(first: Boxes, second: Boxes) -> Floats:
    """The common area of each two rectangles on the ground."""
    u, v = _in_frame_of(first, second)
    half_length, half_width = first.length / 2, first.width / 2
    next_u, next_v = np.roll(u, -1, axis=1), np.roll(v, -1, axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope = (next_v - v) / (next_u - u)
        leaves = [u + (side * half_width[:, None] - v) / slope for side in (-1, 1)]
    limit = half_length[:, None]
    places = np.concatenate([u, *(np.nan_to_num(place) for place in leaves)], axis=1)
    places = np.sort(np.clip(np.concatenate([places, -limit, limit], axis=1), -limit, limit), axis=1)
    middle, distance = (places[:, 1:] + places[:, :-1]) / 2, np.diff(places, axis=1)
    low, high = _heights(middle, u, v, next_u, slope)
    inside = np.minimum(high, half_width[:, None]) - np.maximum(low, -half_width[:, None])
    area: Floats = (np.maximum(inside, 0) * distance).sum(axis=1)
    return area


def _in_frame_of(first: Boxes, second: Boxes) -> tuple[Floats, Floats]:
    """The second rectangle's corners where the first lies around 0, its length along u and its width along v."""
    centre = np.stack([first.x, first.y], axis=1)[:, None, :]
    away = second.corners() - centre
    c, s = np.cos(first.yaw)[:, None], np.sin(first.yaw)[:, None]
    return away[..., 0] * c + away[..., 1] * s, away[..., 1] * c - away[..., 0] * s


def _heights(places: Floats, u: Floats, v: Floats, next_u: Floats, slope: Floats) -> tuple[Floats, Floats]:
    """Where vertical lines at some places enter and leave a polygon; from +inf to -inf where they miss it."""
    low, high = np.full(places.shape, np.inf), np.full(places.shape, -np.inf)
    for edge in range(u.shape[1]):
        a, b = u[:, edge, None], next_u[:, edge, None]
        crosses = (np.minimum(a, b) < places) & (places < np.maximum(a, b))
        with np.errstate(invalid="ignore", over="ignore"):
            height = v[:, edge, None] + (places - a) * slope[:, edge, None]
        low = np.where(crosses, np.minimum(low, height), low)
        high = np.where(crosses, np.maximum(high, height), high)
    return low, high
