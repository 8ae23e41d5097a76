"""Humpback Whale Identification: the mean precision of five guesses at the whale.

v1 splits at every single blank, and an empty cell guesses `nan`. v2 splits at any white space and rejects empty cells.
"""

from graders.metrics import average_precision_at_score
from graders.toolkit import Entry, guesses, must_have, must_not_be_missing, pair

MOST = 5


def score(entry: Entry) -> float:
    as_text = entry.version == "v2"
    submission, answers = entry.with_text("Id") if as_text else (entry.submission, entry.answers)
    must_have(submission, "Image", "Id", exactly=True)
    predicted, truth = pair(submission, answers, on="Image")
    if as_text:
        must_not_be_missing(predicted["Id"].where(predicted["Id"].str.strip() != ""))
    whales = ({whale} for whale in truth["Id"])
    guessed = guesses(predicted["Id"], most=MOST, single_blanks=not as_text)
    return average_precision_at_score(whales, guessed, most=MOST)
