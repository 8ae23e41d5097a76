"""LMSYS Chatbot Arena: probabilities that either answer was preferred, or none, scored by log loss. v2 is the same."""

from graders.metrics import log_loss
from graders.toolkit import Entry, must_sum_to_one, pair_probabilities

CLASSES = ["winner_model_a", "winner_model_b", "winner_tie"]
TOLERANCE = 5e-7
"""The sum is 1 when it is rounded to six decimals."""


def score(entry: Entry) -> float:
    predicted, truth = pair_probabilities(entry, CLASSES, on="id")
    must_sum_to_one(predicted, tolerance=TOLERANCE)
    return log_loss(truth, predicted)
