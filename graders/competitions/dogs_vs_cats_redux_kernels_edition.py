"""Dogs vs. Cats Redux: the probability of a dog, scored by log loss. v2 is the same."""

from graders.metrics import binary_log_loss
from graders.toolkit import Entry, pair_probabilities


def score(entry: Entry) -> float:
    predicted, truth = pair_probabilities(entry, "label", on="id")
    return binary_log_loss(truth, predicted)
