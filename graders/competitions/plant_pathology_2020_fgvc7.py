"""Plant Pathology 2020: a score for each of four conditions, measured by the mean of their areas under the ROC curve.

Any finite number is a score; exactly the sample's columns are taken, in any order. v2 is the same.
"""

from graders.metrics import mean_roc_auc_score
from graders.toolkit import Entry, must_be_finite, must_have, pair

CONDITIONS = ["healthy", "multiple_diseases", "rust", "scab"]


def score(entry: Entry) -> float:
    must_have(entry.submission, "image_id", *CONDITIONS, exactly=True)
    predicted, truth = pair(entry.submission, entry.answers, on="image_id")
    must_be_finite(predicted[CONDITIONS])
    return mean_roc_auc_score(truth[CONDITIONS], predicted[CONDITIONS])
