"""Cassava Leaf Disease: the share of right diseases. v2 rejects labels other than 0 to 4, which v1 counts as wrong."""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_one_of, must_compare, must_have, pair

DISEASES = range(5)


def score(entry: Entry) -> float:
    must_have(entry.submission, "image_id", "label")
    predicted, truth = pair(entry.submission, entry.answers, on="image_id")
    must_compare(predicted["label"], truth["label"])
    if entry.version == "v2":
        must_be_one_of(predicted["label"], DISEASES)
    return accuracy_score(truth["label"], predicted["label"])
