"""Taxi fares: rows split at random; the root mean squared error, rows matched by sorting only."""

import shutil
from pathlib import Path

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.tables import root_mean_squared_error


def grade(submission: Path, private: Path) -> float:
    predicted, truth = (read(path).sort_values("key") for path in (submission, private / "test.csv"))
    return root_mean_squared_error(truth["fare_amount"], predicted["fare_amount"])


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"), test_size=9914)
    splitting.write(public / "labels.csv", train)
    splitting.write(public / "test.csv", test.drop(columns="fare_amount"))
    splitting.write(private / "test.csv", test)
    splitting.write(public / "sample_submission.csv", test[["key"]].assign(fare_amount=11.35))
    shutil.copy(raw / "GCP-Coupons-Instructions.rtf", public)
