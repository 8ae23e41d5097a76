"""INGV Volcanic Eruptions: the mean absolute error of the time until the eruption, rounded to a whole number.

v1 counts each row of a repeated id; v2 rejects repeats. An error that is too large for a number can't be rounded, and
rejects the file.
"""

import math

from graders.metrics import mean_absolute_error
from graders.toolkit import (
    Entry,
    InvalidSubmission,
    Reason,
    join,
    must_be_finite,
    must_have,
    numbers,
    pair,
    warn_of_repeats,
)

ID, TARGET = "segment_id", "time_to_eruption"


def score(entry: Entry) -> float:
    must_have(entry.submission, ID, TARGET)
    match = join if entry.version == "v1" else pair
    predicted, truth = match(entry.submission, entry.answers, on=ID)
    must_be_finite(predicted[TARGET])
    warn_of_repeats(entry, on=ID)
    error = mean_absolute_error(truth[TARGET], numbers(predicted[TARGET]))
    if not math.isfinite(error):
        raise InvalidSubmission(Reason.OUT_OF_RANGE, "The predictions are too large for their error to be a number.")
    return float(round(error))
