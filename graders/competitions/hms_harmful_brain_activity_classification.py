"""HMS Harmful Brain Activity: the mean Kullback-Leibler divergence of predicted from true shares of votes.

v1 takes any further column for a vote, compares only the set of ids, and leaves missing predictions out of the loss,
which rewards them. There, whole numbers are not clipped, so that a plain 0 can cost infinitely much; True and False are
clipped like decimals. v2 wants each id once and every vote, and clips all numbers alike.

In v1 ids repeat, and rows of equal ids meet in the order in which they stand in the file.
"""

import numpy as np
import pandas as pd

from graders.toolkit import (
    Column,
    Entry,
    Floats,
    join,
    must_be_numbers,
    must_be_within,
    must_have,
    must_have_rows,
    must_sum_to_one,
    numbers,
    pair_probabilities,
    warn_of_other_ids,
)

ID = "eeg_id"
VOTES = ["seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote"]
LEAST = 1e-15
FIVE_DECIMALS, ALL_CLOSE = 5e-6, 1.001e-5
"""How far sums may be from 1: rounded to five decimals, and by `numpy.allclose`."""


def score(entry: Entry) -> float:
    must_have(entry.submission, ID, *VOTES)
    predicted, truth = _match_as_published(entry) if entry.version == "v1" else pair_probabilities(entry, VOTES, on=ID)
    must_sum_to_one(predicted[VOTES], tolerance=FIVE_DECIMALS)

    votes = truth[VOTES].to_numpy(dtype=np.float64)
    true = votes / votes.sum(axis=1, keepdims=True)
    said = np.column_stack([_clipped(predicted[vote], entry) for vote in VOTES])
    terms = np.where(true > 0, true * np.log(true / said), 0)
    return float(np.nansum(terms, axis=1).mean())


def _match_as_published(entry: Entry) -> tuple[pd.DataFrame, pd.DataFrame]:
    must_have_rows(entry.submission, len(entry.answers))
    join(entry.submission, entry.answers.drop_duplicates(ID), on=ID)
    columns = entry.submission.drop(columns=ID)
    must_be_numbers(columns, strict=True)
    must_be_within(columns, 0, 1, blanks="allow")
    must_sum_to_one(columns, tolerance=ALL_CLOSE)
    if columns[VOTES].isna().to_numpy().any():
        entry.warn("Votes are missing: v1 leaves them out of the loss, however many people gave that vote.")
    predicted, truth = (side.sort_values(ID, kind="stable") for side in (entry.submission, entry.answers))
    warn_of_other_ids(entry, predicted, truth, on=ID)
    return predicted, truth


def _clipped(votes: Column, entry: Entry) -> Floats:
    values = numbers(votes)
    if entry.version == "v1" and pd.api.types.is_integer_dtype(votes):
        return values
    return np.clip(values, LEAST, 1 - LEAST)
