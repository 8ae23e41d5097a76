"""Whales: two pictures of each are dealt out first, the others split at random; the mean of reciprocal ranks."""

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.cells import average_precision
from benchmarks.competitions.obvious.reading import read

GUESSES = "new_whale w_1287fbc w_98baff9 w_7554f44 w_1eafe46"

grade = tables.cell_by_cell(lambda true, said: average_precision({true}, str(said).split(" "), most=5), "Image", "Id")


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    sides = pd.Series("", index=table.index)
    generator = np.random.default_rng(0)
    for _, pictures in table.groupby("Id", sort=False):
        if len(pictures) > 1:
            sides[pictures.sample(2, random_state=0).index] = ["train", "test"]
        else:
            sides[pictures.index] = generator.choice(["train", "test"], replace=False, p=[1 - 0.1, 0.1])
    train_rest, test_rest = splitting.split(table.index[sides == ""])
    sides[train_rest], sides[test_rest] = "train", "test"
    train, test = table[sides == "train"], table[sides == "test"]
    splitting.write(public / "train.csv", train)
    answers = test.assign(Id=test["Id"].where(test["Id"].isin(train["Id"]), "new_whale"))
    splitting.write(private / "test.csv", answers)
    splitting.write(public / "sample_submission.csv", test.assign(Id=GUESSES))
    splitting.copy_files(train["Image"], raw / "train", public / "train")
    splitting.copy_files(test["Image"], raw / "train", public / "test")
