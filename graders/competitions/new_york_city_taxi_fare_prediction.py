"""New York City Taxi Fare Prediction: the root mean squared error of fares.

v1 sorts both sides by key and compares position by position, so that invented keys are scored; v2 matches by key.
"""

from graders.metrics import root_mean_squared_error
from graders.toolkit import Entry, line_up, must_be_finite, must_have, pair


def score(entry: Entry) -> float:
    must_have(entry.submission, "key", "fare_amount")
    answers = entry.answers_of("key", "fare_amount")
    if entry.version == "v1":
        predicted, truth = line_up(entry.submission, answers, by="key")
        if set(predicted["key"]) != set(truth["key"]):
            entry.warn(
                "The keys are not those of the test set: v1 does not compare them, and scores rows by their order."
            )
    else:
        predicted, truth = pair(entry.submission, answers, on="key")
    must_be_finite(predicted["fare_amount"])
    return root_mean_squared_error(truth["fare_amount"], predicted["fare_amount"])
