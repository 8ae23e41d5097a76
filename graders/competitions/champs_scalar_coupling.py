"""Predicting Molecular Properties: the logarithm of the mean absolute error, averaged over the types of coupling.

v2 rejects repeated ids, which v1 counts row by row, and floors each type's error at 1e-9 as Kaggle did: v1 has no
floor, so that a type without any error scores minus infinity.
"""

import numpy as np
import pandas as pd

from graders.metrics import mean_absolute_error
from graders.toolkit import Entry, join, must_be_finite, must_have, pair, warn_of_repeats

TARGET = "scalar_coupling_constant"
FLOOR = 1e-9


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", TARGET)
    match = join if entry.version == "v1" else pair
    predicted, truth = match(entry.submission, entry.answers, on="id")
    must_be_finite(predicted[TARGET])
    warn_of_repeats(entry, on="id")

    kind, kinds = pd.factorize(truth["type"], sort=True)
    true, said = truth[TARGET].to_numpy(), predicted[TARGET].to_numpy()
    errors = [mean_absolute_error(true[kind == one], said[kind == one]) for one in range(len(kinds))]
    floor = 0 if entry.version == "v1" else FLOOR
    with np.errstate(divide="ignore"):
        return float(np.log(np.maximum(errors, floor)).mean())
