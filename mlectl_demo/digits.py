"""demo-digits: which digit is in a small picture? A quarter is held back; scored by accuracy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from graders.metrics import accuracy_score
from graders.toolkit import Entry, must_be_one_of, must_be_whole, must_have, pair
from mlectl_demo.raw import png, shuffled, write_csv
from preparers.toolkit import Dataset, sample, split_rows


def fetch(raw: Path) -> None:
    """Write labels.csv and pictures/<id>.png: 1,797 pictures of 8 x 8 pixels of scikit-learn's digits data."""
    from sklearn.datasets import load_digits

    table = load_digits()
    labels = shuffled(pd.DataFrame({"digit": table.target, "place": np.arange(len(table.target))}), "digit")
    write_csv(raw, "labels.csv", labels[["id", "digit"]])
    pictures = np.round(table.images * (255 / 16)).astype(np.uint8)
    (raw / "pictures").mkdir(exist_ok=True)
    for name, place in zip(labels["id"], labels["place"], strict=True):
        (raw / "pictures" / f"{name}.png").write_bytes(png(pictures[place]))


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("labels.csv"), test=0.25)
    data.public.csv("train.csv", train)
    data.public.csv("sample_submission.csv", sample(test, "id", digit=0))
    data.public.files("train/{id}.png", train, source="pictures/{id}.png")
    data.public.files("test/{id}.png", test, source="pictures/{id}.png")
    data.private.csv("answers.csv", test)


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "digit")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    must_be_whole(predicted["digit"])
    must_be_one_of(predicted["digit"], range(10))
    return accuracy_score(truth["digit"], predicted["digit"])
