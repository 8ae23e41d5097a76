"""Spooky Author Identification: a probability for each of three authors, scored by log loss.

v1 wants the id in the first column, because it takes all others for probabilities; v2 finds it by name.
"""

from graders.metrics import log_loss
from graders.toolkit import Entry, InvalidSubmission, Reason, must_be_within, must_have, must_sum_to_one, pair

AUTHORS = ["EAP", "HPL", "MWS"]


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", *AUTHORS, exactly=True)
    if entry.version == "v1" and entry.submission.columns[0] != "id":
        raise InvalidSubmission(Reason.UNEXPECTED_COLUMNS, "The first column is not 'id'.", hint="put 'id' first")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    must_be_within(predicted[AUTHORS], 0, 1)
    must_sum_to_one(predicted[AUTHORS])
    return log_loss(truth[AUTHORS], predicted[AUTHORS])
