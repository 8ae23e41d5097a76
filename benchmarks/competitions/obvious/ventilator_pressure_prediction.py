"""Ventilator: breaths split at random and rows numbered anew; the mean absolute error while air is let in."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import mean_absolute_error

from benchmarks.competitions.obvious import splitting
from benchmarks.competitions.obvious.reading import sorted_pair

KINDS = {"id": "int32", "breath_id": "int32", "R": "int8", "C": "int8", "u_out": "int8"}


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "id")
    is_scored = truth["u_out"] == 0
    return float(mean_absolute_error(truth["pressure"][is_scored], predicted["pressure"][is_scored]))


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = pd.read_csv(raw / "train.csv", float_precision="round_trip", dtype=KINDS)
    train, test = map(pd.concat, splitting.split([rows for _, rows in table.groupby("breath_id")]))
    train, test = (rows.assign(id=range(1, len(rows) + 1)) for rows in (train, test))
    splitting.write(public / "train.csv", train, float_format="%.10g")
    splitting.write(private / "test.csv", test, float_format="%.10g")
    splitting.write(public / "test.csv", test.drop(columns="pressure"), float_format="%.10g")
    splitting.write(public / "sample_submission.csv", test[["id"]].assign(pressure=0))
