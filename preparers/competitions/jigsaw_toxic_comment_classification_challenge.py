"""Toxic Comments: comments as Kaggle split them, with the labels that it published after the contest. v2 is the same.

Tables are read and written again: a comment that spells a missing value, such as `NA`, becomes an empty field.
"""

import numpy as np
import pandas as pd

from preparers.toolkit import Dataset, disjoint, promise

KINDS = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]


def prepare(data: Dataset) -> None:
    names = ("train", "test", "sample_submission", "test_labels")
    train, test, blank, labels = (
        data.raw.unpack(f"{name}.csv.zip").csv(f"{name}.csv", dtype={"id": str}) for name in names
    )
    same = _have_same_ids(labels, test) and _have_same_ids(labels, blank)
    promise(same, "test.csv, test_labels.csv and sample_submission.csv do not have the same ids.")
    disjoint(train, test, "id")

    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test)
    data.public.csv("sample_submission.csv", blank.assign(**dict.fromkeys(KINDS, 0.5)))
    data.private.csv("test.csv", labels)


def _have_same_ids(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether the ids are the same, in whatever order; as a rule they are in the same one."""
    first, second = (table["id"].to_numpy() for table in (one, other))
    return np.array_equal(first, second) or np.array_equal(np.sort(first), np.sort(second))
