"""Histopathologic Cancer Detection: the probability of a tumour, scored by the area under the ROC curve.

v2 is the same.
"""

from graders.metrics import roc_auc_score
from graders.toolkit import Entry, pair_probabilities


def score(entry: Entry) -> float:
    predicted, truth = pair_probabilities(entry, "label", on="id")
    return roc_auc_score(truth, predicted)
