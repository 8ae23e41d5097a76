"""Denoising Dirty Documents: the root mean squared error over all pixels together.

v2 is the same: both reject values that are missing or infinite, and accept any others.
"""

from graders.metrics import root_mean_squared_error
from graders.toolkit import Entry, must_be_finite, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "value")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    must_be_finite(predicted["value"])
    return root_mean_squared_error(truth["value"], predicted["value"])
