"""demo-diabetes: how far has diabetes progressed a year later? A fifth is held back; scored by RMSE."""

from __future__ import annotations

from pathlib import Path

from graders.metrics import root_mean_squared_error
from graders.toolkit import Entry, must_be_finite, must_have, pair
from mlectl_demo.raw import shuffled, write_csv
from preparers.toolkit import Dataset, sample, split_rows


def fetch(raw: Path) -> None:
    """Write patients.csv: 442 rows of scikit-learn's diabetes data, in their own units."""
    from sklearn.datasets import load_diabetes

    table = load_diabetes(as_frame=True, scaled=False)
    write_csv(raw, "patients.csv", shuffled(table.data.assign(progression=table.target.astype(int)), "patient"))


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("patients.csv"), test=0.2)
    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="progression"))
    data.public.csv("sample_submission.csv", sample(test, "id", progression=150))
    data.private.csv("answers.csv", test[["id", "progression"]])


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "progression")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    must_be_finite(predicted["progression"])
    return root_mean_squared_error(truth["progression"], predicted["progression"])
