"""Enzyme substrates: rows split at random; the mean AUC of two labels."""

from pathlib import Path

from sklearn.metrics import roc_auc_score

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(roc_auc_score, "id", ["EC1", "EC2"])


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    splitting.write(public / "sample_submission.csv", test[["id"]].assign(EC1=0.5, EC2=0.5))
    splitting.write(private / "test.csv", test)
    splitting.write(public / "train.csv", train)
    splitting.write(public / "test.csv", test.drop(columns=[f"EC{number}" for number in range(1, 7)]))
