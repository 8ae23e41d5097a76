"""demo-wine: which of three cultivars is a wine from? A fifth is held back; scored by log loss."""

from __future__ import annotations

from pathlib import Path

from graders.metrics import log_loss
from graders.toolkit import Entry, must_be_within, must_have, must_sum_to_one, pair
from mlectl_demo.raw import shuffled, write_csv
from preparers.toolkit import Dataset, one_hot, sample, split_rows

CULTIVARS = ["cultivar_1", "cultivar_2", "cultivar_3"]


def fetch(raw: Path) -> None:
    """Write wines.csv: 178 rows of scikit-learn's wine data."""
    from sklearn.datasets import load_wine

    table = load_wine(as_frame=True)
    measures = table.data.rename(columns=lambda name: name.replace("/", "_"))
    write_csv(raw, "wines.csv", shuffled(measures.assign(cultivar=[CULTIVARS[k] for k in table.target]), "wine"))


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("wines.csv"), test=0.2)
    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="cultivar"))
    data.public.csv("sample_submission.csv", sample(test, "id", **dict.fromkeys(CULTIVARS, 1 / len(CULTIVARS))))
    data.private.csv("answers.csv", one_hot(test, id="id", label="cultivar", classes=CULTIVARS))


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", *CULTIVARS)
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    must_be_within(predicted[CULTIVARS], 0, 1)
    must_sum_to_one(predicted[CULTIVARS])
    return log_loss(truth[CULTIVARS], predicted[CULTIVARS])
