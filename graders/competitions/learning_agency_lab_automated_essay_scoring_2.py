"""Automated Essay Scoring 2.0: quadratic weighted kappa of the scores of essays.

v1 takes any whole number and weighs a disagreement by places in the sorted list of scores that occur; v2 rejects scores
other than 1 to 6 and always weighs by these six.
"""

from graders.metrics import quadratic_kappa_score
from graders.toolkit import Entry, must_be_labels, must_be_numbers, must_be_one_of, must_have, pair

SCORES = range(1, 7)


def score(entry: Entry) -> float:
    must_have(entry.submission, "essay_id", "score")
    predicted, truth = pair(entry.submission, entry.answers, on="essay_id")
    must_be_numbers(predicted["score"], strict=True)
    must_be_labels(predicted["score"])
    if entry.version == "v1":
        if not predicted["score"].isin(SCORES).all():
            entry.warn(
                "Scores other than 1 to 6 are predicted: v1 takes them, and overstating what one is sure of can pay."
            )
        return quadratic_kappa_score(truth["score"], predicted["score"])
    must_be_one_of(predicted["score"], SCORES)
    return quadratic_kappa_score(truth["score"], predicted["score"], labels=SCORES)
