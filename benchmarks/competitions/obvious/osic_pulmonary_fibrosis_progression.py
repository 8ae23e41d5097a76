"""Pulmonary fibrosis: patients split at random, their weeks laid out as a grid; a Laplace log likelihood."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read


def grade(submission: Path, private: Path) -> float:
    predicted, truth = read(submission), read(private / "test.csv")
    truth = truth.dropna(subset="FVC")
    truth = truth.assign(Weeks=truth["Patient_Week"].str.rsplit("_", n=1).str[1].astype(int))
    truth = truth.sort_values("Weeks").groupby("Patient").tail(3).sort_values("Patient_Week")
    predicted = predicted[predicted["Patient_Week"].isin(truth["Patient_Week"])].sort_values("Patient_Week")
    deviation = np.maximum(predicted["Confidence"].fillna(0).to_numpy(), 70)
    error = np.minimum(np.abs(truth["FVC"].to_numpy() - predicted["FVC"].to_numpy()), 1000)
    return float(np.mean(-np.sqrt(2) * error / deviation - np.log(np.sqrt(2) * deviation)))


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    train, test = map(pd.concat, splitting.split([rows for _, rows in table.groupby("Patient")]))
    splitting.write(public / "train.csv", train)
    splitting.write(public / "test.csv", test.sort_values("Weeks").groupby("Patient").first().reset_index())
    weeks = range(test["Weeks"].min(), test["Weeks"].max() + 1)
    grid = pd.DataFrame(product(test["Patient"].unique(), weeks), columns=["Patient", "Weeks"])
    grid = grid.merge(test, on=["Patient", "Weeks"], how="left")
    grid["Patient_Week"] = grid["Patient"] + "_" + grid["Weeks"].astype(str)
    grid["Confidence"] = 100
    splitting.write(private / "test.csv", grid)
    splitting.write(public / "sample_submission.csv", grid[["Patient_Week"]].assign(FVC=2000, Confidence=100))
    splitting.copy_folders(train["Patient"].unique(), raw / "train", public / "train")
    splitting.copy_folders(test["Patient"].unique(), raw / "train", public / "test")
