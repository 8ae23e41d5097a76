"""Tabular Playground, December 2021: the share of right cover types. v2 rejects words, which v1 counts as wrong."""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_numbers, must_compare, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "Cover_Type")
    predicted, truth = pair(entry.submission, entry.answers_of("Id", "Cover_Type"), on="Id")
    must_compare(predicted["Cover_Type"], truth["Cover_Type"])
    if entry.version == "v2":
        must_be_numbers(predicted["Cover_Type"], strict=True)
    return accuracy_score(truth["Cover_Type"], predicted["Cover_Type"])
