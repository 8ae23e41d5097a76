"""Plant Seedlings: F1 of all labels together, which with one label a picture is the share of right ones.

v2 rejects empty cells and species other than the twelve, which v1 counts as wrong.
"""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_one_of, must_be_text, must_have, must_not_be_missing, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "file", "species")
    predicted, truth = pair(entry.submission, entry.answers, on="file")
    must_be_text(predicted["species"])
    if predicted["species"].isna().all():  # numbers to pandas, and no words to compare
        must_not_be_missing(predicted["species"])
    if entry.version == "v2":
        must_be_one_of(predicted["species"], entry.classes)
    return accuracy_score(truth["species"], predicted["species"])
