"""U.S. Patent Phrase Matching: Pearson's correlation of predicted and true likeness.

v1 has no score where predictions are constant, or where one is missing or infinite. v2 rejects missing and infinite
ones, and gives 0 for a constant. Of a single row there is no correlation, for any submission.
"""

import math

from graders.metrics import pearson_score
from graders.toolkit import Entry, InvalidSubmission, Reason, must_be_finite, must_be_numbers, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "score")
    predicted, truth = pair(entry.submission, entry.answers_of("id", "score"), on="id")
    must_be_numbers(predicted["score"], strict=True)
    if len(truth) < 2:
        raise InvalidSubmission(Reason.NOT_SCORABLE, "The correlation is not defined on one row, for any submission.")
    if entry.version == "v2":
        must_be_finite(predicted["score"])
    correlation = pearson_score(truth["score"], predicted["score"])
    return 0.0 if entry.version == "v2" and math.isnan(correlation) else correlation
