"""Essays: rows split at random; quadratic weighted kappa."""

from pathlib import Path

import numpy as np

from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import split, write
from benchmarks.competitions.obvious.tables import quadratic_kappa, scored

grade = scored(quadratic_kappa, "essay_id", "score", answers="answers.csv")


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split(read(raw / "train.csv"))
    write(private / "answers.csv", test)
    write(public / "train.csv", train)
    write(public / "test.csv", test.drop(columns="score"))
    guesses = np.random.RandomState(42).randint(1, 7, size=len(test))
    write(public / "sample_submission.csv", test[["essay_id"]].assign(score=guesses))
