"""RSNA Breast Cancer: F1 in which a probability counts as that much of a finding.

v1 scores a submission with a missing value 0, and rejects one in which every prediction is negative. v2 rejects missing
values and scores 0 whenever nothing is found. Predictions outside of 0 to 1 are clipped in both. Where no breast has
cancer, which the specification leaves open, nothing can be found: the score is 0.
"""

import numpy as np

from graders.toolkit import (
    Entry,
    InvalidSubmission,
    Reason,
    must_have,
    must_not_be_missing,
    must_not_hold_text,
    numbers,
    pair,
)


def score(entry: Entry) -> float:
    must_have(entry.submission, "prediction_id", "cancer")
    predicted, truth = pair(entry.submission, entry.answers, on="prediction_id")
    must_not_hold_text(predicted["cancer"])
    values = numbers(predicted["cancer"])
    if entry.version == "v2":
        must_not_be_missing(predicted["cancer"])
    elif (values < 0).all():
        raise InvalidSubmission(
            Reason.OUT_OF_RANGE, "Every prediction is below 0.", hint="write probabilities between 0 and 1"
        )

    has_cancer = truth["cancer"].to_numpy() == 1
    shares = np.clip(values, 0, 1)
    found = shares[has_cancer].sum()
    precision, recall = found / shares.sum(), found / has_cancer.sum()
    # Nothing found, or a missing value in v1, makes one of them 0 or not a number.
    return float(2 * precision * recall / (precision + recall)) if precision > 0 and recall > 0 else 0.0
