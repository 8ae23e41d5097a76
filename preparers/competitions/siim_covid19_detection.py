"""SIIM COVID-19: X-ray studies with their pictures and boxes, one study in ten held back at random.

v2 is the same: no patient is named, so studies of one patient can't be kept on one side.
"""

import numpy as np
import pandas as pd

from preparers.toolkit import Dataset, promise, split_rows

KINDS = {
    "Negative for Pneumonia": "negative",
    "Typical Appearance": "typical",
    "Indeterminate Appearance": "indeterminate",
    "Atypical Appearance": "atypical",
}
WHOLE = "1 0 0 1 1"


def prepare(data: Dataset) -> None:
    studies = data.raw.csv("train_study_level.csv")
    images = data.raw.csv("train_image_level.csv").sort_values("id")
    train, test = (part.sort_values("id") for part in split_rows(studies, test=0.1))
    study_of = images["StudyInstanceUID"] + "_study"
    train_images, test_images = (images[study_of.isin(part["id"])] for part in (train, test))
    orphans = (~study_of.isin(studies["id"])).sum()
    promise(not orphans, f"{orphans:,} pictures of train_image_level.csv belong to no study of train_study_level.csv.")

    data.public.csv("train_study_level.csv", train)
    data.public.csv("train_image_level.csv", train_images)
    for part, rows in (("train", train), ("test", test)):
        for study in rows["id"].str.removesuffix("_study"):
            data.public.tree(f"{part}/{study}", f"train/{study}")
    ids = pd.concat([test["id"], test_images["id"]])
    is_study = np.arange(len(ids)) < len(test)
    answers = pd.concat([_kinds(test), test_images["label"]])
    guesses = np.where(is_study, f"negative {WHOLE}", f"none {WHOLE}")
    data.public.csv("sample_submission.csv", pd.DataFrame({"id": ids, "PredictionString": guesses}))
    data.private.csv("test.csv", pd.DataFrame({"id": ids, "PredictionString": answers}))


def _kinds(studies: pd.DataFrame) -> "pd.Series[str]":
    """A study's answer: the first of the four labels, in the file's order of columns, that has the largest value."""
    columns = [column for column in studies.columns if column in KINDS]
    return studies[columns].idxmax(axis=1).map(KINDS) + f" {WHOLE}"
