"""Correlation of true and predicted numbers; NaN where one side is constant or has a value that is not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

from graders.metrics.arrays import Floats, floats


def pearson_score(truth: Any, predicted: Any) -> float:
    """Pearson's linear correlation.

    >>> round(pearson_score([1, 2, 3], [1, 2, 9]), 5)
    0.91766
    """
    a, b = floats(truth), floats(predicted)
    if not (np.isfinite(a).all() and np.isfinite(b).all()) or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    a, b = _direction(a - a.mean()), _direction(b - b.mean())
    return float(np.clip(a @ b, -1, 1))


def _direction(values: Floats) -> Floats:
    """The vector at length 1; scaled first, because squares of large numbers are infinite."""
    scaled = values / np.abs(values).max()
    direction: Floats = scaled / np.linalg.norm(scaled)
    return direction


def spearman_score(truth: Any, predicted: Any) -> float:
    """Spearman's correlation: that of the ranks, equal values sharing theirs. Texts rank in order of their letters.

    >>> round(spearman_score([1, 2, 3], [1, 9, 2]), 5)
    0.5
    """
    ranks = []
    for values in (np.asarray(truth), np.asarray(predicted)):
        if values.dtype.kind == "f" and np.isnan(values).any():
            return float("nan")
        ranks.append(rankdata(np.unique(values, return_inverse=True)[1]))
    return pearson_score(*ranks)
