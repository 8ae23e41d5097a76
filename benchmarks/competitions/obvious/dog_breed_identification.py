"""Dog breeds: pictures split at random, a column for each breed; log loss."""

from pathlib import Path

import pandas as pd

import catalog
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write
from benchmarks.competitions.obvious.tables import class_probabilities

BREEDS = catalog.load("dog-breed-identification").data["classes"]

grade = class_probabilities("id")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "labels.csv"))
    columns = pd.get_dummies(test["breed"], dtype=int).reindex(columns=BREEDS, fill_value=0)
    answers = pd.concat([test[["id"]], columns], axis=1)
    write(public / "labels.csv", train)
    write(private / "test.csv", answers)
    write(public / "sample_submission.csv", answers.assign(**dict.fromkeys(BREEDS, 1 / len(BREEDS))))
    for part, rows in (("train", train), ("test", test)):
        copy_files(rows["id"] + ".jpg", raw / "train", public / part)
