"""Billion Word Imputation: the mean number of letters that are wrong in a sentence.

v1 rejects an empty sentence, and with it words that pandas takes for a missing one, such as `NA`; in v2 an empty
sentence is an empty text and `NA` is a word.
"""

from graders.metrics import mean_edit_distance
from graders.toolkit import Entry, must_be_text, must_not_be_missing, pair_texts


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, "sentence", on="id", plain=entry.version == "v2")
    must_be_text(predicted)
    must_not_be_missing(predicted)
    return mean_edit_distance(list(truth), list(predicted))
