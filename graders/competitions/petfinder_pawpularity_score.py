"""PetFinder Pawpularity: the root mean squared error of a score from 1 to 100. v2 is the same."""

from graders.metrics import root_mean_squared_error
from graders.toolkit import Entry, must_be_numbers, must_be_within, must_have, pair

TARGET = "Pawpularity"


def score(entry: Entry) -> float:
    must_have(entry.submission, "Id", TARGET)
    predicted, truth = pair(entry.submission, entry.answers_of("Id", TARGET), on="Id")
    must_be_numbers(predicted[TARGET], strict=True)
    must_be_within(predicted[TARGET], 1, 100)
    return root_mean_squared_error(truth[TARGET], predicted[TARGET])
