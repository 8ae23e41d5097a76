"""VinBigData Chest X-ray: findings that several radiologists boxed, one picture in ten held back at random.

v1's answers have one box for each picture and class, the first radiologist's. v2 merges the boxes of a class that
overlap into one of their mean corners and keeps separate ones. Boxes without an area or with a corner missing, which
the real data do not have, are left out there; a picture that has no other is one without a finding.
"""

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from preparers.toolkit import Dataset, sample, split_groups

CORNERS = ["x_min", "y_min", "x_max", "y_max"]
KEY = ["image_id", "class_id"]
NO_FINDING = 14
NO_BOX = [0.0, 0.0, 1.0, 1.0]
SAME_FINDING = 0.4
"""Boxes that overlap by this IoU are one finding."""


def prepare(data: Dataset) -> None:
    boxes = data.raw.csv("train.csv")
    images = boxes[["image_id"]].drop_duplicates()
    train_images, test_images = split_groups(images, by="image_id", test=0.1, keys="seen", rows="split")
    train, test = (boxes[boxes["image_id"].isin(part["image_id"])] for part in (train_images, test_images))
    answers = _first_boxes(test) if data.version == "v1" else _consensus(test, data.classes)

    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test_images, "image_id", PredictionString="14 1 0 0 1 1"))
    for part, rows in (("train", train_images), ("test", test_images)):
        data.public.files(f"{part}/{{image_id}}.dicom", rows, "train/{image_id}.dicom")
    data.private.csv("answers.csv", answers)
    data.private.csv("gold_submission.csv", _as_submission(answers))


def _first_boxes(boxes: pd.DataFrame) -> pd.DataFrame:
    """v1: of each picture and class the first value of each column that is not missing."""
    answers = boxes.groupby(KEY).first().reset_index()
    answers[CORNERS] = answers[CORNERS].astype(float).fillna(0.0)
    answers.loc[answers["class_id"] == NO_FINDING, ["x_max", "y_max"]] = 1.0
    return answers


def _consensus(boxes: pd.DataFrame, classes: list[str]) -> pd.DataFrame:
    """v2: the findings that radiologists agree on, and those that only one of them saw."""
    whole = (boxes["x_max"] > boxes["x_min"]) & (boxes["y_max"] > boxes["y_min"])
    findings = boxes[whole & (boxes["class_id"] != NO_FINDING)].reset_index(drop=True)
    merged = findings.groupby([*KEY, _same_finding(findings)])[CORNERS].mean().reset_index(KEY)
    is_empty = (boxes["class_id"] == NO_FINDING) | ~boxes["image_id"].isin(findings["image_id"])
    empty = boxes.loc[is_empty, ["image_id"]].drop_duplicates().assign(class_id=NO_FINDING)
    empty[CORNERS] = NO_BOX
    answers = pd.concat([merged, empty]).sort_values([*KEY, *CORNERS], ignore_index=True)
    answers.insert(2, "class_name", [classes[kind] for kind in answers["class_id"]])
    return answers


def _same_finding(boxes: pd.DataFrame) -> "pd.Series[int]":
    """A number for each box, the same for those of a picture and class that overlap, directly or through others."""
    numbered = boxes[[*KEY, *CORNERS]].reset_index(names="box")
    pairs = numbered.merge(numbered, on=KEY, suffixes=("", "_2"))
    width, height = (
        np.minimum(pairs[f"{side}_max"], pairs[f"{side}_max_2"])
        - np.maximum(pairs[f"{side}_min"], pairs[f"{side}_min_2"])
        for side in "xy"
    )
    areas = [(pairs[f"x_max{k}"] - pairs[f"x_min{k}"]) * (pairs[f"y_max{k}"] - pairs[f"y_min{k}"]) for k in ("", "_2")]
    both = width.clip(lower=0) * height.clip(lower=0)
    same = pairs[both / (sum(areas) - both) >= SAME_FINDING]
    links = coo_array((np.ones(len(same)), (same["box"], same["box_2"])), shape=(len(boxes), len(boxes)))
    return pd.Series(connected_components(links, directed=False)[1], index=boxes.index, name="finding")


def _as_submission(answers: pd.DataFrame) -> pd.DataFrame:
    text = answers["class_id"].astype(str) + " 1.0"
    for corner in CORNERS:
        text = text + " " + answers[corner].astype(str)
    joined = text.groupby(answers["image_id"]).agg(" ".join)
    return joined.rename("PredictionString").reset_index()
