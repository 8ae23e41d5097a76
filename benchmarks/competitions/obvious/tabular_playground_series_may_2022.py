"""Playground of May 2022: rows split at random and numbered anew; the AUC."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(roc_auc_score, "id", "target")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"), test_size=100_000)
    train = train.assign(id=range(len(train)))
    test = test.assign(id=range(len(train), len(train) + len(test)))
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "test.csv", test.drop(columns="target"))
    splitting.write(private / "gold_submission.csv", test[["id", "target"]])
    splitting.write(public / "sample_submission.csv", test[["id"]].assign(target=0.5))
