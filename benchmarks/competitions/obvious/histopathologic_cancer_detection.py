"""Histopathologic cancer: pictures split at random, rows in the order of the table; the AUC."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import copy_files, split, write
from benchmarks.competitions.obvious.tables import scored

grade = scored(roc_auc_score, "id", "label", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    labels = read(raw / "train_labels.csv")
    unused = len(list((raw / "test").glob("*.tif")))
    _, held_back = split(labels["id"], test_size=unused / (len(labels) + unused))
    is_test = labels["id"].isin(held_back)
    train, test = labels[~is_test], labels[is_test]
    write(public / "train_labels.csv", train)
    write(private / "answers.csv", test)
    write(public / "sample_submission.csv", test.assign(label=0))
    for part, rows in (("train", train), ("test", test)):
        copy_files(rows["id"] + ".tif", raw / "train", public / part)
