"""The distance of bodies of voxels, held against scipy's search through all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import directed_hausdorff

from graders.metrics import hausdorff_distance


def by_all_pairs(a: np.ndarray, b: np.ndarray, spacing: np.ndarray) -> float:
    u, v = np.argwhere(a) * spacing, np.argwhere(b) * spacing
    return max(directed_hausdorff(u, v)[0], directed_hausdorff(v, u)[0])


def test_small_bodies_of_any_shape() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        shape = rng.integers(1, 9, 3)
        a, b = (rng.random(shape) < rng.random() for _ in range(2))
        a.flat[0] = b.flat[-1] = True
        assert hausdorff_distance(a, b, spacing=1 / shape) == pytest.approx(by_all_pairs(a, b, 1 / shape))


def test_solid_bodies_with_a_stray_voxel() -> None:
    a, b = np.zeros((12, 40, 30), dtype=bool), np.zeros((12, 40, 30), dtype=bool)
    a[2:10, 5:30, 5:25] = True
    b[3:11, 8:35, 4:22] = True
    spacing = np.array([3.0, 1.5, 1.5])
    assert hausdorff_distance(a, b, spacing=spacing) == pytest.approx(by_all_pairs(a, b, spacing))

    b[0, 0, 0] = True
    assert hausdorff_distance(a, b, spacing=spacing) == pytest.approx(by_all_pairs(a, b, spacing))
    assert hausdorff_distance(a, a, spacing=spacing) == 0
