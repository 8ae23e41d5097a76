"""Freesound Audio Tagging 2019: everything as Kaggle delivers it, with labels that were published after the contest.

The labels' archive is not Kaggle's, and preparation does not go to the network for it: it must lie in the raw folder,
packed or unpacked. It is verified against Kaggle's sample submission, which must name the same clips. v2 is the same.
"""

import numpy as np
import pandas as pd

from preparers.toolkit import Dataset, Origin, PreparationError, has_columns, one_hot, promise

META = "FSDKaggle2019.meta"


def prepare(data: Dataset) -> None:
    clips = _labels(data).csv(f"{META}/test_post_competition.csv")
    tested = clips[clips["usage"] == "Private"]
    wanted = data.raw.csv("sample_submission.csv")
    has_columns(wanted, "fname", *data.classes, name="sample_submission.csv")
    promise(
        len(wanted) == len(tested) and set(wanted["fname"]) == set(tested["fname"]),
        f"The clips of {META} are not those of sample_submission.csv: is it the archive of this contest?",
    )

    for name in data.raw.names("*"):
        if META not in name:
            data.public.copy(name)
    for name in data.raw.folders("*"):
        if META not in name:
            data.public.tree(name)
    data.private.csv("test.csv", _one_hot(tested, data.classes))


def _labels(data: Dataset) -> Origin:
    if data.raw.has(f"{META}.zip"):
        return data.raw.unpack(f"{META}.zip")
    if data.raw.has(META):
        return data.raw
    raise PreparationError(
        f"{data.raw.folder / META}.zip is missing. It has the labels of the test clips and is not part of Kaggle's "
        f"download: fetch it from {data.tables['labels_url']} and put it there."
    )


def _one_hot(clips: pd.DataFrame, classes: list[str]) -> pd.DataFrame:
    """A column of 0 and 1 for each class; labels that are no class are left out."""
    labels = clips[["fname"]].assign(label=clips["labels"].fillna("").str.split(","), row=np.arange(len(clips)))
    each = one_hot(labels.explode("label", ignore_index=True), id="row", label="label", classes=classes)
    hits = each.groupby("row")[classes].max()
    return pd.concat([clips[["fname"]].reset_index(drop=True), hits], axis=1)
