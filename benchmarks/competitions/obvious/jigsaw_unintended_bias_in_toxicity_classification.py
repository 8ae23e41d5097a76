"""Unintended bias: Kaggle's own split; power means of the AUC of subsets, one after the other."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious.reading import read, sorted_pair
from benchmarks.competitions.obvious.splitting import write

IDENTITIES = [
    *("male", "female", "homosexual_gay_or_lesbian", "christian", "jewish", "muslim", "black", "white"),
    "psychiatric_or_mental_illness",
]


def grade(submission: Path, private: Path) -> float:
    predicted, truth = sorted_pair(submission, private / "test.csv", "id")
    said = (predicted["prediction"] >= 0.5).astype(int)
    toxic = truth["toxicity"] >= 0.5
    subgroup, bpsn, bnsp = [], [], []
    for identity in IDENTITIES:
        has = truth[identity] >= 0.5
        subgroup.append(auc(toxic, said, has))
        bpsn.append(auc(toxic, said, toxic != has))
        bnsp.append(auc(toxic, said, toxic == has))
    means = [np.mean(np.power(aucs, -5)) ** (-1 / 5) for aucs in (subgroup, bpsn, bnsp)]
    return float(0.25 * roc_auc_score(toxic, said) + 0.25 * sum(means))


def auc(toxic: pd.Series, said: pd.Series, rows: pd.Series) -> float:
    return float(roc_auc_score(toxic[rows], said[rows]))


def prepare(raw: Path, public: Path, private: Path) -> None:
    public.mkdir(parents=True)
    private.mkdir()
    shutil.copy(raw / "train.csv", public)
    shutil.copy(raw / "test_private_expanded.csv", private / "test.csv")
    test = read(private / "test.csv")[["id", "comment_text"]]
    write(public / "test.csv", test)
    write(public / "sample_submission.csv", test[["id"]].assign(prediction=0.0))
