"""Facebook Recruiting III: F1 of predicted tags.

v1 takes all (question, tag) pairs together and leaves out predicted tags that no answer has, so that they cost nothing.
v2 is the mean of each question's F1, as in the contest, and every tag counts.
"""

from graders.metrics import mean_f1_score, micro_f1_score
from graders.toolkit import Entry, must_be_text, pair_texts, words


def score(entry: Entry) -> float:
    predicted, truth = pair_texts(entry, "Tags", on="Id", plain=entry.version == "v2")
    must_be_text(predicted)
    if entry.version == "v1":
        return micro_f1_score(words(truth), words(predicted), known_only=True)
    return mean_f1_score(words(truth), words(predicted))
