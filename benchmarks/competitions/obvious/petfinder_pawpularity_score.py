"""Pawpularity: pictures split at random; the root mean squared error."""

from pathlib import Path

import numpy as np

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(tables.root_mean_squared_error, "Id", "Pawpularity")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "test.csv", test.drop(columns="Pawpularity"))
    guesses = np.random.default_rng(0).uniform(1, 100, len(test)).round(2)
    splitting.write(public / "sample_submission.csv", test[["Id"]].assign(Pawpularity=guesses))
    splitting.copy_files(train["Id"] + ".jpg", raw / "train", public / "train")
    splitting.copy_files(test["Id"] + ".jpg", raw / "train", public / "test")
