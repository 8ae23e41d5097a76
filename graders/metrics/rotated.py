"""Overlap of upright boxes that are turned about the vertical, for many pairs at once.

The common area of two rectangles is found by clipping one with the four sides of the other. Corners of the result are
rounded to floats where the boxes are, some thousand metres from the origin, as geometry libraries have them: where
two boxes overlap a third one equally, that rounding decides which of them is the nearer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from graders.metrics.arrays import Floats

BLOCK = 1 << 14
MOST_CORNERS = 12
"""Two rectangles have at most 8 in common; rounding can add some that lie on one another."""


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
    window, corners = first.corners(), second.corners()
    origin = window[:, :1]  # what lies near it keeps all its digits when this is taken away
    window = window - origin
    polygons = Polygons.of(corners - origin)
    for side in range(4):
        polygons = polygons.left_of(window[:, side], window[:, (side + 1) % 4])
    rounded = (polygons.corners + origin) - origin
    return Polygons(rounded, polygons.counts).area()


@dataclass(frozen=True)
class Polygons:
    """Convex polygons, counter-clockwise, in arrays with room for more corners than they have."""

    corners: Floats
    counts: npt.NDArray[np.intp]

    @classmethod
    def of(cls, corners: Floats) -> Self:
        room = np.zeros((len(corners), MOST_CORNERS, 2))
        room[:, : corners.shape[1]] = corners
        return cls(room, np.full(len(corners), corners.shape[1]))

    def left_of(self, start: Floats, end: Floats) -> Polygons:
        """What lies to the left of a line, one for each polygon (Sutherland and Hodgman)."""
        there, following = self._is_there(), self._following()
        height = _cross((end - start)[:, None], self.corners - start[:, None])
        next_height = np.take_along_axis(height, following, axis=1)
        is_inside = height >= 0
        crosses = is_inside != (next_height >= 0)
        part = np.divide(height, height - next_height, out=np.zeros_like(height), where=crosses)
        cuts = self.corners + part[..., None] * (self._next_corners() - self.corners)

        corners = np.stack([self.corners, cuts], axis=2).reshape(len(height), -1, 2)
        kept = np.stack([there & is_inside, there & crosses], axis=2).reshape(len(height), -1)
        order = np.argsort(~kept, axis=1, kind="stable")[:, :MOST_CORNERS]
        counts = np.minimum(kept.sum(axis=1), MOST_CORNERS)
        return Polygons(np.take_along_axis(corners, order[..., None], axis=1), counts)

    def area(self) -> Floats:
        twice: Floats = np.where(self._is_there(), _cross(self.corners, self._next_corners()), 0.0).sum(axis=1)
        return np.abs(twice) / 2

    def _is_there(self) -> npt.NDArray[np.bool_]:
        return np.arange(MOST_CORNERS) < self.counts[:, None]

    def _following(self) -> npt.NDArray[np.intp]:
        """The place of the corner after each one, the first after the last."""
        places = np.arange(1, MOST_CORNERS + 1)[None, :]
        return np.where(places < self.counts[:, None], places, 0)

    def _next_corners(self) -> Floats:
        corners: Floats = np.take_along_axis(self.corners, self._following()[..., None], axis=1)
        return corners


def _cross(a: Floats, b: Floats) -> Floats:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
