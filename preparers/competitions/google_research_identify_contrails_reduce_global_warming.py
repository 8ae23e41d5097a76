"""Identify Contrails: satellite records with masks, as many held back at random as there are validation records.

v1's sample submission has the sizes of the pictures as two more columns; v2 gives only the columns asked for.
"""

import random
from itertools import product

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.toolkit import Dataset, split_items

BANDS = [f"band_{band:02d}.npy" for band in range(8, 17)]
PIXEL_MASKS = "human_pixel_masks.npy"
MASKS = ["human_individual_masks.npy", PIXEL_MASKS]
NO_CONTRAIL = "-"


def prepare(data: Dataset) -> None:
    count = len(data.raw.json("validation_metadata.json"))
    train, test = split_items(data.raw.json("train_metadata.json"), test=count)
    train_ids, test_ids = ([entry["record_id"] for entry in part] for part in (train, test))
    answers = pd.DataFrame([_answer(data, record) for record in test_ids])

    for part, ids, files in (("train", train_ids, BANDS + MASKS), ("test", test_ids, BANDS)):
        data.public.take((f"{part}/{record}/{file}", f"train/{record}/{file}") for record, file in product(ids, files))
    if data.raw.has("validation"):
        data.public.tree("validation")
    data.public.make_folder("validation")
    data.public.copy("validation_metadata.json")
    data.public.json("train_metadata.json", train)
    data.public.csv("sample_submission.csv", _sample(answers, sizes=data.version == "v1"))
    data.private.csv("answers.csv", answers)


def _answer(data: Dataset, record: str) -> dict[str, object]:
    height, width, *_ = data.raw.array(f"train/{record}/{BANDS[0]}").shape
    mask = data.raw.array(f"train/{record}/{PIXEL_MASKS}")[:, :, 0] == 1
    return {"record_id": record, "encoded_pixels": _encode(mask), "height": height, "width": width}


def _encode(mask: npt.NDArray[np.bool_]) -> str:
    """The runs of a mask as `start length start length …`, counted from 1 down the columns."""
    edges = np.flatnonzero(np.diff(mask.ravel(order="F"), prepend=False, append=False))
    starts, ends = edges[0::2], edges[1::2]
    runs = np.column_stack([starts + 1, ends - starts])
    return " ".join(map(str, runs.ravel())) or NO_CONTRAIL


def _sample(answers: pd.DataFrame, *, sizes: bool) -> pd.DataFrame:
    choices = random.Random(0)
    guesses = [choices.choice(["1 3 10 5", NO_CONTRAIL]) for _ in range(len(answers))]
    columns = ["record_id", "encoded_pixels", *(["height", "width"] if sizes else [])]
    return answers.assign(encoded_pixels=guesses)[columns]
