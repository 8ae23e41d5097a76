"""How well scores put the true labels of a case before its other labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from graders.metrics.arrays import floats


def label_ranking_precision_score(truth: Any, predicted: Any) -> float:
    """The mean over all (case, true label) pairs of the share of true labels among those with at least its score.

    Also called lwlrap; a row a case, a column a label, truth 0/1. Cases without a label have no part in it.

    >>> label_ranking_precision_score([[1, 0, 1], [0, 0, 0]], [[0.9, 0.5, 0.1], [1, 1, 1]])
    0.8333333333333333
    """
    is_true, scores = floats(truth) > 0, floats(predicted)
    case, label = np.nonzero(is_true)
    ahead = scores[case] >= scores[case, label][:, None]
    return float(np.mean((ahead & is_true[case]).sum(axis=1) / ahead.sum(axis=1)))
