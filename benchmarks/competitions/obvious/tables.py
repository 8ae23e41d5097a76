"""Obvious graders of one kind: read both tables, match their rows by id, ask scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sklearn.metrics import cohen_kappa_score, f1_score, log_loss, mean_squared_error

from benchmarks.competitions.obvious.reading import sorted_pair

Grade = Callable[[Path, Path], float]
Metric = Callable[[Any, Any], float]

macro_f1: Metric = partial(f1_score, average="macro")
quadratic_kappa: Metric = partial(cohen_kappa_score, weights="quadratic")
root_mean_squared_error: Metric = lambda truth, predicted: float(mean_squared_error(truth, predicted) ** 0.5)  # noqa: E731


def scored(metric: Metric, key: str, target: str | list[str] | None = None, *, answers: str = "test.csv") -> Grade:
    """A grader: a metric of (truth, predicted), of one column, of some, or of all that the answers have but the key."""

    def grade(submission: Path, private: Path) -> float:
        predicted, truth = sorted_pair(submission, private / answers, key)
        columns = target if target is not None else [name for name in truth.columns if name != key]
        return float(metric(truth[columns], predicted[columns]))

    return grade


def class_probabilities(key: str, classes: list[str] | None = None, *, answers: str = "test.csv") -> Grade:
    """A grader: log loss of a probability for each class, where the answers have a 1 in the true one's column."""
    return scored(
        lambda truth, predicted: log_loss(truth.to_numpy(), predicted.to_numpy()), key, classes, answers=answers
    )


def cell_by_cell(
    value: Callable[[Any, Any], float], key: str, target: str, *, blank: str | None = None, answers: str = "test.csv"
) -> Grade:
    """A grader: the mean of what each pair of cells, the true one first, is worth; `blank` stands for missing ones."""

    def mean(truth: Any, predicted: Any) -> float:
        if blank is not None:
            truth, predicted = truth.fillna(blank), predicted.fillna(blank)
        return sum(value(true, said) for true, said in zip(truth, predicted, strict=True)) / len(truth)

    return scored(mean, key, target, answers=answers)
