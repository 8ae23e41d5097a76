"""Brain tumours: subjects split at random, with their folders; the AUC."""

from pathlib import Path

import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables

grade = tables.scored(roc_auc_score, "BraTS21ID", "MGMT_value")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(pd.read_csv(raw / "train_labels.csv", dtype={"BraTS21ID": str}))
    splitting.write(public / "train_labels.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "sample_submission.csv", test.assign(MGMT_value=0.5))
    splitting.copy_folders(train["BraTS21ID"], raw / "train", public / "train")
    splitting.copy_folders(test["BraTS21ID"], raw / "train", public / "test")
