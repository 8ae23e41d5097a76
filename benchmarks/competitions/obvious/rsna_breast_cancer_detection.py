"""Breast cancer: patients split at random; the probabilistic F1."""

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

SHOWN = ["site_id", "patient_id", "image_id", "laterality", "view", "age", "implant", "machine_id"]


def probabilistic_f1(truth: pd.Series, predicted: pd.Series) -> float:
    y, p = truth.to_numpy(), np.clip(predicted.to_numpy(), 0, 1)
    right, wrong = p[y == 1].sum(), p[y == 0].sum()
    precision, recall = right / (right + wrong), right / (y == 1).sum()
    return float(2 * precision * recall / (precision + recall)) if precision > 0 and recall > 0 else 0.0


grade = tables.scored(probabilistic_f1, "prediction_id", "cancer", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    train_patients, test_patients = splitting.split(table["patient_id"].unique(), seed=42)
    train, test = (table[table["patient_id"].isin(patients)] for patients in (train_patients, test_patients))
    test = test.assign(prediction_id=test["patient_id"].astype(str) + "_" + test["laterality"])
    answers = test.groupby("prediction_id")["cancer"].first().reset_index()
    splitting.write(public / "train.csv", train)
    splitting.write(public / "test.csv", test[[*SHOWN, "prediction_id"]])
    splitting.write(private / "answers.csv", answers)
    splitting.write(public / "sample_submission.csv", answers.assign(cancer=train["cancer"].mean()))
    for part, rows in (("train_images", train), ("test_images", test)):
        images = rows["patient_id"].astype(str) + "/" + rows["image_id"].astype(str) + ".dcm"
        splitting.copy_files(images, raw / "train_images", public / part)
