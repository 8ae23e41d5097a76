"""Playground S3E18: a score for each of two enzymes, measured by the mean of their areas under the ROC curve.

Any finite number is a score, in v2 too: only the ranking counts.
"""

from graders.metrics import mean_roc_auc_score
from graders.toolkit import Entry, must_be_finite, must_have, pair

ENZYMES = ["EC1", "EC2"]


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", *ENZYMES)
    predicted, truth = pair(entry.submission, entry.answers_of("id", *ENZYMES), on="id")
    must_be_finite(predicted[ENZYMES])
    return mean_roc_auc_score(truth[ENZYMES], predicted[ENZYMES])
