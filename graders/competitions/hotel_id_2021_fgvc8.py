"""Hotel-ID 2021: the mean precision of five guesses at the hotel.

v1 leaves cells as pandas reads them, so that single guesses with a blank among them are decimals and all wrong, and
splits at every single blank. v2 reads text and splits at any white space.
"""

from graders.metrics import average_precision_at_score
from graders.toolkit import Entry, guesses, must_have, pair

MOST = 5


def score(entry: Entry) -> float:
    as_text = entry.version == "v2"
    submission, answers = entry.with_text("hotel_id") if as_text else (entry.submission, entry.answers)
    must_have(submission, "image", "hotel_id")
    predicted, truth = pair(submission, answers, on="image")
    hotels = ({hotel} for hotel in truth["hotel_id"].astype(str))
    guessed = guesses(predicted["hotel_id"], most=MOST, single_blanks=not as_text)
    return average_precision_at_score(hotels, guessed, most=MOST)
