"""ML2021Spring homework 2: the share of frames with the right phoneme.

v2 rejects words and classes other than 0 to 38, which v1 counts as wrong.
"""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_one_of, must_compare, must_have, pair

CLASSES = range(39)


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "ClassId")
    predicted, truth = pair(entry.submission, entry.answers, on="Id")
    must_compare(predicted["ClassId"], truth["ClassId"])
    if entry.version == "v2":
        must_be_one_of(predicted["ClassId"], CLASSES)
    return accuracy_score(truth["ClassId"], predicted["ClassId"])
