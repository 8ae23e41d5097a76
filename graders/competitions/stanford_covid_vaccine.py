"""OpenVaccine: the mean over three columns of the root mean squared error, in the rows that count.

v1 sorts both sides by id, but picks the submission's rows by the place that they had in the file: any order but the
sample's is misread. It accepts anything in rows and columns that do not count. v2 matches by id, and wants finite
numbers everywhere.
"""

import numpy as np
import pandas as pd

from graders.metrics import root_mean_squared_error
from graders.toolkit import Entry, must_be_finite, must_have, numbers, pair

SCORED = ["reactivity", "deg_Mg_pH10", "deg_Mg_50C"]
NOT_SCORED = ["deg_pH10", "deg_50C"]
ID = "id_seqpos"


def score(entry: Entry) -> float:
    must_have(entry.submission, ID, *SCORED, *NOT_SCORED)
    predicted, truth = pair(entry.submission, entry.answers, on=ID)
    if entry.version == "v1":
        predicted, truth = _pick_as_published(predicted, truth)
        must_be_finite(predicted[SCORED])
    else:
        must_be_finite(predicted[SCORED + NOT_SCORED])
        counts = truth["keep"].to_numpy()
        predicted, truth = predicted[counts], truth[counts]
    return float(np.mean([root_mean_squared_error(truth[column], numbers(predicted[column])) for column in SCORED]))


def _pick_as_published(predicted: pd.DataFrame, truth: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """v1: of both sides in order of id, the rows whose own place in their file is one that counts in the answers."""
    keep = truth["keep"].to_numpy()
    by_id = np.argsort(truth[ID].to_numpy())
    place_in_file = predicted.index.to_numpy()[by_id]
    return predicted.iloc[by_id[keep[place_in_file]]], truth.iloc[by_id[keep[by_id]]]
