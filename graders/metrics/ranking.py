"""How well scores put the positive cases before the negative ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from graders.errors import InvalidSubmission, Reason
from graders.metrics.arrays import Floats, floats

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int_]


def roc_auc_score(truth: Any, predicted: Any) -> float:
    """The area under the ROC curve: how often a positive case ranks above a negative one, ties counting one half.

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    positive, positives, negatives = _classes(truth)
    ranks = rankdata(floats(predicted))
    return float((ranks[positive].sum() - positives * (positives + 1) / 2) / (positives * negatives))


def roc_curve(truth: Any, predicted: Any) -> tuple[Floats, Floats]:
    """The corners of the ROC curve from (0, 0) to (1, 1): false and true positive rates, one for each distinct score.

    >>> [rates.tolist() for rates in roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.8])]
    [[0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0]]
    """
    positive, positives, negatives = _classes(truth)
    seen, hits = _steps(positive, floats(predicted))
    return np.append(0.0, (seen - hits) / negatives), np.append(0.0, hits / positives)


def mean_roc_auc_score(truth: Any, predicted: Any) -> float:
    """The plain mean of the columns' areas under the ROC curve.

    >>> mean_roc_auc_score([[0, 1], [1, 0]], [[0.2, 0.3], [0.7, 0.4]])
    0.5
    """
    columns = zip(floats(truth).T, floats(predicted).T, strict=True)
    return float(np.mean([roc_auc_score(*column) for column in columns]))


def average_precision_score(truth: Any, predicted: Any) -> float:
    """Precision at each distinct score, weighted by the step in recall; cases of equal score enter together.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 5)
    0.83333
    """
    seen, hits = _steps(floats(truth) > 0, floats(predicted))
    return float((np.diff(hits, prepend=0) * hits / seen).sum() / hits[-1]) if hits[-1] else 0.0


def _classes(truth: Any) -> tuple[Bools, int, int]:
    """Which cases are positive, how many are, and how many are not."""
    positive = floats(truth) > 0
    positives = int(positive.sum())
    negatives = len(positive) - positives
    if positives == 0 or negatives == 0:
        raise InvalidSubmission(
            Reason.NOT_SCORABLE, "The area under the ROC curve is not defined on this data, for any submission."
        )
    return positive, positives, negatives


def _steps(positive: Bools, scores: Floats) -> tuple[Counts, Counts]:
    """For each distinct score, best first: how many cases have at least that, and how many of them are positive."""
    order = np.argsort(-scores, kind="stable")
    is_last = np.append(np.diff(scores[order]) != 0, True)
    return np.flatnonzero(is_last) + 1, np.cumsum(positive[order])[is_last]
