"""MLSP 2013 Birds: a probability for each recording and species, scored by one area under the ROC curve for all pairs
together. v2 is the same.
"""

from graders.metrics import roc_auc_score
from graders.toolkit import Entry, pair_probabilities


def score(entry: Entry) -> float:
    predicted, truth = pair_probabilities(entry, "Probability", on="Id")
    return roc_auc_score(truth, predicted)
