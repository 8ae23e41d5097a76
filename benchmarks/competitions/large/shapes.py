"""Blots on a picture, and their run lengths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


def blots(rng: np.random.Generator, height: int, width: int, count: int) -> Mask:
    """A picture with some round blots."""
    mask = np.zeros((height, width), dtype=bool)
    for _ in range(count):
        radius = max(2, int(min(height, width) * rng.uniform(0.03, 0.12)))
        y, x = int(rng.integers(height)), int(rng.integers(width))
        top, left = max(0, y - radius), max(0, x - radius)
        window = mask[top : y + radius + 1, left : x + radius + 1]
        rows, columns = np.ogrid[top : top + window.shape[0], left : left + window.shape[1]]
        window |= (rows - y) ** 2 + (columns - x) ** 2 <= radius**2
    return mask


def moved(mask: Mask) -> Mask:
    """A prediction that is about right: the picture, a little aside."""
    return np.roll(mask, (1 + mask.shape[0] // 50, 1 + mask.shape[1] // 80), axis=(0, 1))


def down_columns(mask: Mask) -> str:
    """Run lengths, counted from 1 down the columns."""
    edges = np.flatnonzero(np.diff(mask.T.ravel().astype(np.int8), prepend=0, append=0))
    return " ".join(f"{start + 1} {end - start}" for start, end in edges.reshape(-1, 2).tolist())
