"""Losses of predicted probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from graders.errors import InvalidSubmission, Reason
from graders.metrics.arrays import floats

EPSILON = float(np.finfo(np.float64).eps)
"""How far probabilities are kept from 0 and 1: a certain, wrong prediction costs 36.04."""


def log_loss(truth: Any, predicted: Any) -> float:
    """The mean of minus the logarithm of the true class's probability: a row a case, a column a class, truth 0/1.

    Probabilities are clipped to [EPSILON, 1 - EPSILON]; rows are not rescaled.

    >>> round(log_loss([[1, 0], [0, 1]], [[0.5, 0.5], [0.1, 0.9]]), 5)
    0.39925
    """
    logarithms = np.log(np.clip(floats(predicted), EPSILON, 1 - EPSILON))
    return float(-(floats(truth) * logarithms).sum(axis=1).mean())


def binary_log_loss(truth: Any, predicted: Any) -> float:
    """The same for one event: truth 0/1, and the probability of 1. Not defined where the truth is all 0 or all 1.

    >>> round(binary_log_loss([1, 0], [0.5, 0.1]), 5)
    0.39925
    """
    happens, probability = floats(truth), floats(predicted)
    if happens.min() == happens.max():
        raise InvalidSubmission(Reason.NOT_SCORABLE, "The log loss is not defined on this data, for any submission.")
    return log_loss(np.column_stack([1 - happens, happens]), np.column_stack([1 - probability, probability]))
