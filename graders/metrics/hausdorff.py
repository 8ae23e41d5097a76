"""How far two bodies of voxels are from each other at worst.

Exact, and quick for bodies of millions of voxels: the nearest voxel of a body to one outside of it is always on its
surface; and neighbours are about equally far away, so that most blocks of voxels can't hold the farthest one and are
left out after a look at one of theirs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree

from graders.metrics.arrays import Floats, floats

Body = npt.NDArray[np.bool_]
Voxels = npt.NDArray[np.intp]

BLOCK_SIDE = 4


def hausdorff_distance(truth: Body, predicted: Body, *, spacing: Any) -> float:
    """The largest distance from a voxel of one body to the nearest of the other, neither of them being empty.

    Bodies are arrays of one shape, `spacing` the distance of neighbours along each axis.

    >>> hausdorff_distance(np.array([True, False, False]), np.array([True, False, True]), spacing=[0.5])
    1.0
    """
    frame = _bounds(truth | predicted)
    true, said, step = truth[frame], predicted[frame], floats(spacing)
    return max(_farthest(said, true, step), _farthest(true, said, step))


def _bounds(body: Body) -> tuple[slice, ...]:
    """The smallest box around a body."""
    axes = range(body.ndim)
    filled = [np.flatnonzero(body.any(axis=tuple(other for other in axes if other != axis))) for axis in axes]
    return tuple(slice(int(places[0]), int(places[-1]) + 1) for places in filled)


def _farthest(body: Body, other: Body, step: Floats) -> float:
    """The largest distance from a voxel of the body to the nearest of the other one."""
    outside = np.argwhere(body & ~other)
    if not len(outside):
        return 0.0
    nearest = cKDTree(np.argwhere(_surface(other)) * step)
    block, first = _blocks(outside, body.shape)
    to_first = nearest.query(outside[first] * step)[0]
    across = np.linalg.norm((BLOCK_SIDE - 1) * step)
    known = float(to_first.max())
    undecided = outside[(to_first + across > known)[block]]
    return max(known, float(nearest.query(undecided * step)[0].max()))


def _surface(body: Body) -> Body:
    """The voxels that have a neighbour outside of the body, along some axis."""
    inner = np.pad(body, 1)
    middle = (slice(1, -1),) * body.ndim
    inside = body.copy()
    for axis in range(body.ndim):
        for side in (slice(None, -2), slice(2, None)):
            inside &= inner[(*middle[:axis], side, *middle[axis + 1 :])]
    return body & ~inside


def _blocks(voxels: Voxels, shape: tuple[int, ...]) -> tuple[Voxels, Voxels]:
    """The number of each voxel's block, and a voxel of each block."""
    sides = [extent // BLOCK_SIDE + 1 for extent in shape]
    code = np.ravel_multi_index(tuple((voxels // BLOCK_SIDE).T), sides)
    _, first, block = np.unique(code, return_index=True, return_inverse=True)
    return block, first
