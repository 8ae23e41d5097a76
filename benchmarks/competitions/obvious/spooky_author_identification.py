"""Spooky authors: texts split at random; scikit-learn's log loss of three classes."""

from pathlib import Path

from benchmarks.competitions.obvious import splitting, tables
from benchmarks.competitions.obvious.reading import read

SHARES = {"EAP": 0.403493538995863, "HPL": 0.287808366106543, "MWS": 0.308698094897594}

grade = tables.class_probabilities("id", list(SHARES))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = splitting.split(read(raw / "train.zip"))
    splitting.write(public / "train.csv", train)
    splitting.write(public / "test.csv", test[["id", "text"]])
    answers = test[["id"]].assign(**{name: (test["author"] == name).astype(int) for name in SHARES})
    splitting.write(private / "test.csv", answers)
    splitting.write(public / "sample_submission.csv", test[["id"]].assign(**SHARES))
