"""Predicting Molecular Properties: the logarithm of the mean absolute error, averaged over the types of coupling.

v2 rejects repeated ids, which v1 counts row by row, and floors each type's error at 1e-9 as Kaggle did: v1 has no
floor, so that a type without any error scores minus infinity.
"""

import numpy as np

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

    types = truth["type"].to_numpy()
    errors = [
        mean_absolute_error(truth[TARGET][types == kind], predicted[TARGET][types == kind]) for kind in np.unique(types)
    ]
    floor = 0 if entry.version == "v1" else FLOOR
    with np.errstate(divide="ignore"):
        return float(np.log(np.maximum(errors, floor)).mean())
