"""demo-tumours: is a tumour malignant, from thirty measures of its cells? A fifth is held back; scored by ROC AUC."""

from __future__ import annotations

from pathlib import Path

from graders.metrics import roc_auc_score
from graders.toolkit import Entry, must_be_within, must_have, pair
from mlectl_demo.raw import shuffled, write_csv
from preparers.toolkit import Dataset, sample, split_rows


def fetch(raw: Path) -> None:
    """Write tumours.csv: 569 rows of scikit-learn's breast cancer data."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer(as_frame=True)
    measures = table.data.rename(columns=lambda name: name.replace(" ", "_"))
    write_csv(raw, "tumours.csv", shuffled(measures.assign(malignant=1 - table.target), "tumour"))


def prepare(data: Dataset) -> None:
    train, test = split_rows(data.raw.csv("tumours.csv"), test=0.2)
    data.public.csv("train.csv", train)
    data.public.csv("test.csv", test.drop(columns="malignant"))
    data.public.csv("sample_submission.csv", sample(test, "id", malignant=0.5))
    data.private.csv("answers.csv", test[["id", "malignant"]])


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "malignant")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    must_be_within(predicted["malignant"], 0, 1)
    return roc_auc_score(truth["malignant"], predicted["malignant"])
