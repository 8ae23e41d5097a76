"""Ventilator Pressure: the mean absolute error of the pressure while air flows in.

v1 never looks at values in rows that are not scored; v2 rejects words there, but not empty cells.
"""

from graders.metrics import mean_absolute_error
from graders.toolkit import Entry, must_be_finite, must_be_numbers, must_have, numbers, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "pressure")
    predicted, truth = pair(entry.submission, entry.answers_of("id", "u_out", "pressure"), on="id")
    if entry.version == "v2":
        must_be_numbers(predicted["pressure"], strict=True)
    is_scored = (truth["u_out"] == 0).to_numpy()
    must_be_finite(predicted["pressure"][is_scored])
    return mean_absolute_error(truth["pressure"][is_scored], numbers(predicted["pressure"][is_scored]))
