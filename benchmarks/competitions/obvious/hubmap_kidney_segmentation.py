"""HuBMAP: whole pictures, and the mean of their Dice coefficients; files copied one after the other."""

from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.competitions.obvious.reading import flat_mask, read, sorted_pair
from benchmarks.competitions.obvious.splitting import copy_files, write

INFORMATION = "HuBMAP-20-dataset_information.csv"


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "id")
    scores = []
    for said, true, height, width in zip(
        predicted["predicted"], truth["encoding"], truth["height_pixels"], truth["width_pixels"], strict=True
    ):
        p, t = flat_mask(said, height * width), flat_mask(true, height * width)
        total = p.sum() + t.sum()
        scores.append(2 * (p & t).sum() / total if total else 1.0)
    return float(np.mean(scores))


def prepare(raw: Path, public: Path, private: Path) -> None:
    table, information = read(raw / "train.csv"), read(raw / INFORMATION)
    train, test = train_test_split(table, train_size=12, test_size=3, random_state=0)
    sizes = information.assign(id=information["image_file"].str.replace(".tiff", "", regex=False))
    answers = test.merge(sizes[["id", "width_pixels", "height_pixels"]], on="id")
    gold = test.rename(columns={"encoding": "predicted"})
    write(public / "train.csv", train)
    write(private / "test.csv", answers)
    write(private / "gold_submission.csv", gold)
    write(public / "sample_submission.csv", gold.assign(predicted=""))
    write(public / "test" / "sample_submission.csv", gold.assign(predicted=""))
    write(public / INFORMATION, information[sizes["id"].isin(table["id"])])
    for part, rows in (("train", train), ("test", test)):
        for ending in (".tiff", ".json", "-anatomical-structure.json"):
            copy_files(rows["id"] + ending, raw / "train", public / part)
