"""Herbarium 2022: F1 of the species, averaged over all that are true or predicted.

v1 cuts decimals off; v2 rejects predictions that are not whole.
"""

from graders.metrics import macro_f1_score
from graders.toolkit import Entry, cut_to_whole, must_be_whole, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "Predicted")
    predicted, truth = pair(entry.submission, entry.answers, on="Id")
    if entry.version == "v2":
        must_be_whole(predicted["Predicted"])
    return macro_f1_score(truth["Predicted"], cut_to_whole(predicted["Predicted"]))
