"""ML2021Spring homework 2: frames of speech with their phonemes, each row a frame between its ten neighbours.

v1 holds rows back at random, although neighbouring rows share ten frames of eleven. v2 holds back whole utterances, in
raw order: a new one begins where a row does not continue the row before it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.toolkit import Dataset, split_groups, split_positions

FOLDER = "timit_11/timit_11"
FRAME = 39
"""Features of one frame; a row has eleven of them."""
BLOCK = 1 << 15


def prepare(data: Dataset) -> None:
    rows, labels = (data.raw.array(f"{FOLDER}/{name}.npy") for name in ("train_11", "train_label_11"))
    tests = len(data.raw.array(f"{FOLDER}/test_11.npy"))
    share = tests / (len(rows) + tests)
    if data.version == "v1":
        train, test = split_positions(len(rows), test=share)
    else:
        utterances = pd.DataFrame({"utterance": _utterances(rows)})
        parts = split_groups(utterances, by="utterance", test=share, keys="seen", rows="raw")
        train, test = (part.index.to_numpy() for part in parts)

    data.public.array(f"{FOLDER}/train_11.npy", rows[train])
    data.public.array(f"{FOLDER}/train_label_11.npy", labels[train])
    data.public.array(f"{FOLDER}/test_11.npy", rows[test])
    answers = pd.DataFrame({"Id": range(len(test)), "ClassId": labels[test]})
    data.private.csv("answers.csv", answers)
    data.public.csv("sampleSubmission.csv", answers.assign(ClassId=0))


def _utterances(rows: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The number of each row's utterance."""
    begins = np.ones(len(rows), dtype=np.bool_)
    for start in range(1, len(rows), BLOCK):
        block = rows[start - 1 : start + BLOCK]
        begins[start : start + BLOCK] = (block[:-1, FRAME:] != block[1:, :-FRAME]).any(axis=1)
    return np.cumsum(begins)
