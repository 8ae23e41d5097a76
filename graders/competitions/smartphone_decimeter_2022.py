"""Google Smartphone Decimeter Challenge: the mean over trips of the median and the 95th percentile error in metres.

v1 pairs a trip's rows by their order and never looks at their times, and has no score where a place is missing or
infinite. v2 matches by trip and time, and rejects such places.
"""

import numpy as np
import pandas as pd

from graders.toolkit import (
    Entry,
    Floats,
    InvalidSubmission,
    Reason,
    must_be_finite,
    must_be_numbers,
    must_have,
    must_have_rows,
    numbers,
    pair,
    warn_of_other_ids,
)

PLACE = ["LatitudeDegrees", "LongitudeDegrees"]
EARTH_RADIUS = 6_371_000.0


def score(entry: Entry) -> float:
    must_have(entry.submission, "tripId", "UnixTimeMillis", *PLACE)
    if entry.version == "v1":
        predicted, truth = _by_order(entry.submission, entry.answers)
        must_be_numbers(predicted[PLACE], strict=True)
        warn_of_other_ids(entry, predicted, truth, on="UnixTimeMillis")
    else:
        predicted, truth = pair(entry.submission, entry.answers, on=["tripId", "UnixTimeMillis"])
        must_be_finite(predicted[PLACE])
    errors = pd.Series(_distance(predicted, truth)).groupby(truth["tripId"].to_numpy())
    return float(np.mean([np.quantile(trip, [0.5, 0.95]).mean() for _, trip in errors]))


def _by_order(submission: pd.DataFrame, answers: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """v1: the k-th row of a trip on either side, the trips themselves in any order."""
    must_have_rows(submission, len(answers))
    trips = pd.Index(answers["tripId"].unique())
    theirs, ours = (trips.get_indexer(side["tripId"]) for side in (submission, answers))
    counts = np.bincount(theirs[theirs >= 0], minlength=len(trips))
    wrong = np.flatnonzero(counts != np.bincount(ours))
    if len(wrong):
        raise InvalidSubmission(
            Reason.WRONG_ROW_COUNT,
            f"{len(wrong):,} of {len(trips):,} trips have another number of rows than in the sample submission.",
            expected=f"the rows of {trips[wrong[0]]!r} and of the others as they are there",
            hint="keep the rows of the sample submission and fill in the places",
        )
    return submission.iloc[np.argsort(theirs, kind="stable")], answers.iloc[np.argsort(ours, kind="stable")]


def _distance(predicted: pd.DataFrame, truth: pd.DataFrame) -> Floats:
    """The way between two places over the earth's surface, by the haversine formula."""
    (lat, lng), (true_lat, true_lng) = ([np.radians(numbers(side[c])) for c in PLACE] for side in (predicted, truth))
    up, along = np.sin((true_lat - lat) / 2), np.sin((true_lng - lng) / 2)
    metres: Floats = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(up**2 + np.cos(lat) * np.cos(true_lat) * along**2))
    return metres
