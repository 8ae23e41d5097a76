"""Insults: Kaggle's own split; the AUC of rows that are matched by their comments."""

import shutil
from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import write
from benchmarks.competitions.obvious.tables import scored

grade = scored(roc_auc_score, "Comment", "Insult")


def prepare(raw: Path, public: Path, private: Path) -> None:
    public.mkdir(parents=True)
    private.mkdir()
    shutil.copy(raw / "train.csv", public)
    shutil.copy(raw / "test_with_solutions.csv", private / "test.csv")
    gold = read(private / "test.csv")[["Insult", "Date", "Comment"]]
    write(private / "gold_submission.csv", gold)
    write(public / "test.csv", gold.drop(columns="Insult"))
    write(public / "sample_submission_null.csv", gold.assign(Insult=0))
