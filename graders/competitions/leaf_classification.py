"""Leaf Classification: a probability for each of 99 species, scored by log loss. v2 is the same."""

from graders.metrics import log_loss
from graders.toolkit import Entry, must_have, must_sum_to_one, pair_probabilities


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", *entry.classes, exactly=True)
    predicted, truth = pair_probabilities(entry, entry.classes, on="id")
    must_sum_to_one(predicted)
    return log_loss(truth, predicted)
