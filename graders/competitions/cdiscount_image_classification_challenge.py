"""Cdiscount: the share of products in the right category. v2 rejects words, which v1 counts as wrong."""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_numbers, must_compare, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "_id", "category_id")
    predicted, truth = pair(entry.submission, entry.answers, on="_id")
    must_compare(predicted["category_id"], truth["category_id"])
    if entry.version == "v2":
        must_be_numbers(predicted["category_id"], strict=True)
    return accuracy_score(truth["category_id"], predicted["category_id"])
