"""Paddy Doctor: the share of pictures with the right disease; an empty label is wrong. v2 is the same."""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_compare, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "image_id", "label")
    predicted, truth = pair(entry.submission, entry.answers_of("image_id", "label"), on="image_id")
    labels = predicted["label"]
    if labels.isna().any():  # among numbers a blank is a word, and the mixture is rejected
        labels = labels.astype(object).where(labels.notna(), "")
    must_compare(labels, truth["label"])
    return accuracy_score(truth["label"], labels)
