"""Leaves: rows split at random, a column for each species; log loss."""

from pathlib import Path

import pandas as pd

import catalog
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, unpacked, write
from benchmarks.competitions.obvious.tables import class_probabilities

SPECIES = catalog.load("leaf-classification").data["classes"]

grade = class_probabilities("id")


def prepare(raw: Path, public: Path, private: Path) -> None:
    with unpacked(raw / "train.csv.zip", public) as folder:
        train, test = split(read(folder / "train.csv"))
    columns = pd.get_dummies(test["species"], dtype=int).reindex(columns=SPECIES, fill_value=0)
    answers = pd.concat([test[["id"]], columns], axis=1)
    write(public / "train.csv", train)
    write(public / "test.csv", test.drop(columns="species"))
    write(private / "test.csv", answers)
    write(public / "sample_submission.csv", answers.assign(**dict.fromkeys(SPECIES, 1 / len(SPECIES))))
    (private / "images").mkdir()
    with unpacked(raw / "images.zip", public) as folder:
        for rows in (train, test):
            copy_files([f"{name}.jpg" for name in rows["id"]], folder / "images", public / "images")
