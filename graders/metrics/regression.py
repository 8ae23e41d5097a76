"""Distances between true and predicted numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from graders.metrics.arrays import floats


def mean_absolute_error(truth: Any, predicted: Any) -> float:
    """The mean of the absolute differences.

    >>> mean_absolute_error([1, 2], [1, 5])
    1.5
    """
    return float(np.abs(floats(truth) - floats(predicted)).mean())


def root_mean_squared_error(truth: Any, predicted: Any) -> float:
    """The root of the mean of the squared differences.

    >>> root_mean_squared_error([1, 2], [4, 6])
    3.5355339059327378
    """
    return float(np.sqrt(np.square(floats(truth) - floats(predicted)).mean()))


def root_mean_squared_log_error(truth: Any, predicted: Any) -> float:
    """The same of the logarithms of 1 + value; values must be above -1.

    >>> round(root_mean_squared_log_error([0, 0], [0, 1]), 5)
    0.49013
    """
    return root_mean_squared_error(np.log1p(floats(truth)), np.log1p(floats(predicted)))
