"""Forest cover: rows split at random, and the share of right ones."""

from pathlib import Path

from sklearn.metrics import accuracy_score

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

grade = tables.scored(accuracy_score, "Id", "Cover_Type")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.csv"))
    splitting.write(public / "train.csv", train)
    splitting.write(private / "test.csv", test)
    splitting.write(public / "test.csv", test.drop(columns="Cover_Type"))
    splitting.write(public / "sample_submission.csv", test[["Id"]].assign(Cover_Type=2))
