"""OSIC Pulmonary Fibrosis: a Laplace log likelihood of lung volumes, over the last three visits of each patient.

v1 does not score rows that are left out, takes a missing confidence for 0, and has no score where a volume is missing.
v2 wants every row of the sample once, with finite numbers.
"""

import numpy as np
import pandas as pd

from graders.toolkit import Entry, join, must_be_finite, must_be_numbers, must_have, must_not_repeat, numbers, pair

KEY, VALUES = "Patient_Week", ["FVC", "Confidence"]
LAST_VISITS = 3
LEAST_DEVIATION, LARGEST_ERROR = 70.0, 1000.0


def score(entry: Entry) -> float:
    must_have(entry.submission, KEY, *VALUES)
    answers = entry.answers_of(KEY, "Patient", "Weeks", "FVC")
    predicted, truth = _match_as_published(entry, answers) if entry.version == "v1" else _match_all(entry, answers)
    if predicted.empty:
        return float("nan")
    deviation = np.maximum(np.nan_to_num(numbers(predicted["Confidence"]), posinf=np.inf), LEAST_DEVIATION)
    error = np.minimum(np.abs(numbers(truth["FVC"]) - numbers(predicted["FVC"])), LARGEST_ERROR)
    return float(np.mean(-np.sqrt(2) * error / deviation - np.log(np.sqrt(2) * deviation)))


def _match_as_published(entry: Entry, answers: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """v1: the scored rows that are there."""
    predicted, truth = join(entry.submission, answers, on=KEY, complete=False)
    must_be_numbers(predicted[VALUES], strict=True)
    if len(np.unique(truth.index)) < len(answers):
        entry.warn("Rows of the sample are left out: v1 scores only those that are there.")
    is_scored = truth.index.isin(_last_visits(answers))
    must_not_repeat(predicted[is_scored], on=KEY)
    return predicted[is_scored], truth[is_scored]


def _match_all(entry: Entry, answers: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    predicted, truth = pair(entry.submission, answers, on=KEY)
    must_be_finite(predicted[VALUES])
    is_scored = truth.index.isin(_last_visits(truth))
    return predicted[is_scored], truth[is_scored]


def _last_visits(answers: pd.DataFrame) -> "pd.Index[int]":
    """The rows of each patient's last measurements."""
    visits = answers[answers["FVC"].notna()].sort_values("Weeks", kind="stable")
    return visits.groupby("Patient").tail(LAST_VISITS).index
