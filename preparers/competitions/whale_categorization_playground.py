"""Humpback Whale Identification: photographs of flukes; each whale with two pictures has one in train and one in test.

Of whales with a single picture a tenth is in the test part, where they are `new_whale`; of all other pictures a tenth,
too. v2 is the same.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.toolkit import Dataset, promise, sample, split_items

NEW = "new_whale"
GUESSES = "new_whale w_1287fbc w_98baff9 w_7554f44 w_1eafe46"
TRAIN, TEST, OPEN = 0, 1, -1


def prepare(data: Dataset) -> None:
    pictures = data.raw.csv("train.csv")
    sides = _sides(pictures["Id"])
    train, test = (pictures.loc[sides == side, ["Image", "Id"]] for side in (TRAIN, TEST))
    answers = test.assign(Id=test["Id"].where(test["Id"].isin(train["Id"]), NEW))
    promise((answers["Id"] == NEW).any(), f"No picture of the test part shows a {NEW}.")

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "Image", Id=GUESSES))
    data.public.files("train/{Image}", train, "train/{Image}")
    data.public.files("test/{Image}", test, "train/{Image}")
    data.private.csv("test.csv", answers)


@cache
def _two_of(rows: int) -> npt.NDArray[np.int64]:
    """The same two of so many rows each time, for the generator is new."""
    return np.random.RandomState(0).choice(rows, 2, replace=False)


def _sides(ids: "pd.Series[str]") -> npt.NDArray[np.int64]:
    sides = np.full(len(ids), OPEN)
    draw = np.random.default_rng(0)
    for rows in ids.groupby(ids, sort=False).indices.values():
        if len(rows) > 1:
            first, second = rows[_two_of(len(rows))]
            sides[first], sides[second] = TRAIN, TEST
        else:
            sides[rows[0]] = draw.choice([TRAIN, TEST], replace=False, p=[1 - 0.1, 0.1])
    left = np.flatnonzero(sides == OPEN)
    kept, held_back = split_items(left.tolist(), test=0.1)
    sides[kept], sides[held_back] = TRAIN, TEST
    return sides
