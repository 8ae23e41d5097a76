"""Google QUEST: rows split at random; the mean of thirty rank correlations, one after the other."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

import catalog
from benchmarks.competitions.obvious.reading import read
from benchmarks.competitions.obvious.splitting import split, write
from benchmarks.competitions.obvious.tables import scored

TARGETS = catalog.load("google-quest-challenge").data["classes"]


def mean_correlation(truth: Any, predicted: Any) -> float:
    return float(np.mean([spearmanr(truth[name], predicted[name]).statistic for name in truth]))


grade = scored(mean_correlation, "qa_id")


def prepare(raw: Path, public: Path, private: Path) -> None:
    table = read(raw / "train.csv")
    train, test = split(table)
    if test["question_type_spelling"].nunique() == 1:
        first, other = test.index[0], train.index[train["question_type_spelling"] != 0][0]
        train, test = (
            table.loc[[{first: other, other: first}.get(row, row) for row in part.index]] for part in (train, test)
        )
    answers = test[["qa_id", *TARGETS]]
    write(public / "train.csv", train)
    write(public / "test.csv", test.drop(columns=TARGETS))
    write(private / "test.csv", answers)
    steps = np.linspace(0, 1, len(test))
    write(public / "sample_submission.csv", answers.assign(**dict.fromkeys(TARGETS, steps)))
