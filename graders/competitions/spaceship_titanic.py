"""Spaceship Titanic: the share of passengers whose fate is right.

v1 takes any whole number, True being 1 and False 0; v2 takes 0 and 1 only. Words are rejected, however many different
ones there are.
"""

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_labels, must_be_numbers, must_be_one_of, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "PassengerId", "Transported")
    predicted, truth = pair(entry.submission, entry.answers_of("PassengerId", "Transported"), on="PassengerId")
    must_be_numbers(predicted["Transported"], strict=True)
    must_be_labels(predicted["Transported"])
    if entry.version == "v2":
        must_be_one_of(predicted["Transported"], (0, 1))
    return accuracy_score(truth["Transported"], predicted["Transported"])
