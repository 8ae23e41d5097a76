"""Herbarium 2021: F1 of the species, averaged over all that are true or predicted.

v1 cuts decimals off and takes any number for a species; v2 rejects both, by the list of species that its preparation
leaves beside the answers.
"""

from graders.metrics import macro_f1_score
from graders.toolkit import Entry, cut_to_whole, must_be_one_of, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", "Predicted")
    predicted, truth = pair(entry.submission, entry.answers, on="Id")
    if entry.version == "v2":
        must_be_one_of(predicted["Predicted"], entry.private.csv("categories.csv")["id"].tolist())
    return macro_f1_score(truth["Predicted"], cut_to_whole(predicted["Predicted"]))
