"""Cervical spine fractures: lists sampled as the specification says; two pivoted tables and a weighted log loss."""

import random
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read, sorted_pair

ID = "StudyInstanceUID"
LABELS = ["patient_overall", "C1", "C2", "C3", "C4", "C5", "C6", "C7"]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "answers.csv", "row_id")
    p, y = (studies(side).to_numpy() for side in (predicted, truth))
    p = np.clip(p, 1e-15, 1 - 1e-15)
    losses = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    weights = np.where(y == 1, [14] + [2] * 7, [7] + [1] * 7)
    return float(np.mean((weights * losses).sum(axis=1) / weights.sum(axis=1)))


def studies(rows: pd.DataFrame) -> pd.DataFrame:
    """One row a study, one column a label."""
    rows = rows.copy()
    rows[["study", "label"]] = rows["row_id"].str.split("_", n=1, expand=True)
    return rows.pivot(index="study", columns="label", values="fractured")[LABELS]


def prepare(raw: Path, public: Path, private: Path) -> None:
    table, boxes = read(raw / "train.csv"), read(raw / "train_bounding_boxes.csv")
    boxed, segmented, overlapping, others = draw(
        table[ID].tolist(),
        sorted(boxes[ID].unique()),
        sorted(path.stem for path in (raw / "segmentations").glob("*.nii")),
    )
    train = table[table[ID].isin(overlapping + segmented + boxed + others)]
    test = table[~table[ID].isin(train[ID])]
    splitting.write(public / "train.csv", train)
    splitting.write(public / "train_bounding_boxes.csv", boxes[boxes[ID].isin(overlapping + boxed)])
    answers = test.melt(id_vars=ID, value_vars=LABELS, var_name="prediction_type", value_name="fractured")
    answers["row_id"] = answers[ID] + "_" + answers["prediction_type"]
    splitting.write(private / "answers.csv", answers)
    splitting.write(public / "sample_submission.csv", answers[["row_id"]].assign(fractured=0.5))
    splitting.write(public / "test.csv", answers.drop(columns="fractured"))
    files = [f"{study}.nii" for study in overlapping + segmented]
    splitting.copy_files(files, raw / "segmentations", public / "segmentations")
    splitting.copy_folders(train[ID], raw / "train_images", public / "train_images")
    splitting.copy_folders(test[ID], raw / "train_images", public / "test_images")


def draw(studies: list[str], boxed: list[str], segmented: list[str]) -> tuple[list[str], ...]:
    """The new train set: with boxes only, with segmentations only, with both, and others."""
    generator = random.Random(0)
    has_boxes, has_segments = set(boxed), set(segmented)
    both = [study for study in boxed if study in has_segments]
    count, with_boxes, with_segments, with_both = (round(0.1 * len(some)) for some in (studies, boxed, segmented, both))
    o = generator.sample(both, with_both)
    s = generator.sample([study for study in segmented if study not in has_boxes], with_segments - with_both)
    b = generator.sample([study for study in boxed if study not in has_segments], with_boxes - with_both)
    taken = {*o, *s, *b}
    r = generator.sample([study for study in studies if study not in taken], count - len(taken))
    return b, s, o, r
