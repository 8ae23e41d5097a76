"""Scalar coupling: whole molecules are held back, tables filtered; the logarithm of each type's error."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import mean_absolute_error

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write

TARGET = "scalar_coupling_constant"
TABLES = (
    *("structures", "dipole_moments", "magnetic_shielding_tensors", "mulliken_charges", "potential_energy"),
    "scalar_coupling_contributions",
)


def grade(submission: Path, private: Path) -> float:
    answers = read(private / "answers.csv")[["id", "type", TARGET]]
    rows = answers.merge(read(submission)[["id", TARGET]], on="id", suffixes=("", "_predicted"))
    errors = [mean_absolute_error(one[TARGET], one[f"{TARGET}_predicted"]) for _, one in rows.groupby("type")]
    return float(np.mean(np.log(errors)))


def prepare(raw: Path, public: Path, private: Path) -> None:
    groups = [rows for _, rows in read(raw / "train.csv").groupby("molecule_name")]
    train, test = (pd.concat(part) for part in split(groups))
    write(public / "train.csv", train)
    write(private / "answers.csv", test)
    write(public / "test.csv", test.drop(columns=TARGET))
    write(public / "sample_submission.csv", test[["id"]].assign(**{TARGET: 0}))
    molecules = train["molecule_name"].unique()
    for name in TABLES:
        table = read(raw / f"{name}.csv")
        write(public / f"{name}.csv", table[table["molecule_name"].isin(molecules)])
    copy_files([f"{name}.xyz" for name in molecules], raw / "structures", public / "structures")
