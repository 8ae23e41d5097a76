"""Toxic comments: Kaggle's own split, tables written anew; the mean AUC of six columns."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import unpacked, write


def grade(submission: Path, private: Path) -> float:
    predicted, truth = (read(path).set_index("id").sort_index() for path in (submission, private / "test.csv"))
    is_scored = truth.sum(axis=1) >= 0
    return float(roc_auc_score(truth[is_scored].to_numpy(), predicted[is_scored].to_numpy(), average="macro"))


def prepare(raw: Path, public: Path, private: Path) -> None:
    tables = {}
    for name in ("train", "test", "test_labels", "sample_submission"):
        with unpacked(raw / f"{name}.csv.zip", public) as folder:
            tables[name] = read(folder / f"{name}.csv")
    sample = tables["sample_submission"]
    sample[sample.columns.drop("id")] = 0.5
    write(public / "train.csv", tables["train"])
    write(public / "test.csv", tables["test"])
    write(public / "sample_submission.csv", sample)
    write(private / "test.csv", tables["test_labels"])
