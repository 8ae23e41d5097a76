"""Agreement of true and predicted labels, one for each case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def accuracy_score(truth: Any, predicted: Any) -> float:
    """The share of equal labels. Numbers are compared as numbers and never equal a text.

    >>> accuracy_score([1, 2, 3, 4], [1.0, 2.0, 0.0, 4.0])
    0.75
    """
    return float(np.mean(np.asarray(truth) == np.asarray(predicted)))


def macro_f1_score(truth: Any, predicted: Any) -> float:
    """The plain mean of F1 over every label that is in the truth or in the predictions.

    >>> round(macro_f1_score([0, 0, 1], [0, 2, 1]), 5)
    0.55556
    """
    true, said, labels = _places(truth, predicted)
    hits, in_truth, in_said = (np.bincount(places, minlength=labels) for places in (true[true == said], true, said))
    return float(np.mean(2 * hits / (in_truth + in_said)))


def matthews_score(truth: Any, predicted: Any) -> float:
    """Matthews' correlation coefficient, for two labels or more; 0 where one side has a single label.

    >>> round(matthews_score([1, 1, 0, 0], [1, 0, 0, 0]), 5)
    0.57735
    """
    true, said, labels = _places(truth, predicted)
    cases, hits = float(len(true)), float((true == said).sum())
    in_truth, in_said = (np.bincount(places, minlength=labels).astype(np.float64) for places in (true, said))
    spread = (cases**2 - in_said @ in_said) * (cases**2 - in_truth @ in_truth)
    return float((hits * cases - in_truth @ in_said) / np.sqrt(spread)) if spread > 0 else 0.0


def quadratic_kappa_score(truth: Any, predicted: Any, *, labels: Sequence[Any] | None = None) -> float:
    """Cohen's kappa with quadratic weights between positions in the list of labels.

    The list is that of all labels found on either side, sorted, unless it is given. NaN if nothing can disagree.

    >>> round(quadratic_kappa_score([0, 1, 2], [0, 2, 2]), 5)
    0.8
    """
    true, said, _ = _places(truth, predicted, labels)
    found = np.square(true - said).sum()
    by_chance = np.square(true).sum() + np.square(said).sum() - 2 * true.sum() * said.sum() / len(true)
    return float(1 - found / by_chance) if by_chance else float("nan")


def _places(
    truth: Any, predicted: Any, labels: Sequence[Any] | None = None
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], int]:
    """Both sides as positions in the sorted list of labels, and the list's length."""
    true, said = np.asarray(truth), np.asarray(predicted)
    known = np.unique(np.concatenate([true, said])) if labels is None else np.sort(np.asarray(labels))
    return np.searchsorted(known, true), np.searchsorted(known, said), len(known)
