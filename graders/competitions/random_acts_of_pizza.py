"""Random Acts of Pizza: the probability of getting one, scored by the area under the ROC curve. v2 is the same."""

from graders.metrics import roc_auc_score
from graders.toolkit import Entry, pair_probabilities


def score(entry: Entry) -> float:
    predicted, truth = pair_probabilities(entry, "requester_received_pizza", on="request_id")
    return roc_auc_score(truth, predicted)
