"""Dog Breed Identification: a probability for each of 120 breeds, scored by log loss. v2 is the same."""

from graders.metrics import log_loss
from graders.toolkit import Entry, must_be_within, must_have, must_sum_to_one, pair


def score(entry: Entry) -> float:
    breeds = entry.classes
    must_have(entry.submission, "id", *breeds)
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    must_be_within(predicted[breeds], 0, 1)
    must_sum_to_one(predicted[breeds])
    return log_loss(truth[breeds], predicted[breeds])
