"""SETI: signals split at random; the AUC."""

import shutil
from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(roc_auc_score, "id", "target")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train_labels.csv"))
    splitting.write(public / "train_labels.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "sample_submission.csv", test.assign(target=0.5))
    shutil.copytree(raw / "old_leaky_data", public / "old_leaky_data")
    for part, rows in (("train", train), ("test", test)):
        splitting.copy_files(rows["id"].str[0] + "/" + rows["id"] + ".npy", raw / "train", public / part)
