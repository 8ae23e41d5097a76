"""Inputs of metrics as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def floats(values: Any) -> Floats:
    """The values as floats, True and False as 1 and 0."""
    return np.asarray(values).astype(np.float64)
