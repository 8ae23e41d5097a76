"""Cross-validation: every training row is predicted by a model that has not seen it, test rows by all models."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

import numpy as np

from baseline.clock import Clock
from baseline.features import Features
from baseline.metrics import Matrix
from baseline.models import Fold, Model, Rows
from baseline.task import Question


@dataclass(frozen=True)
class Prediction:
    """What a model says of training rows it has not seen, and of the test rows."""

    train: Matrix
    test: Matrix


def number_of_folds(rows: int) -> int:
    return max(2, min(4 if rows < 1_000 else 3, rows))


def deal(question: Question, seed: int) -> Rows:
    """The fold of each row: shuffled, each class spread evenly over the folds."""
    shuffled = np.random.default_rng(seed).permutation(len(question.truth))
    if question.kind == "classes":
        shuffled = shuffled[np.argsort(question.truth[shuffled, 0], kind="stable")]
    folds = np.empty(len(shuffled), dtype=np.int64)
    folds[shuffled] = np.arange(len(shuffled)) % number_of_folds(len(shuffled))
    return folds


def cross_validate(
    model: Model, question: Question, features: Features, seed: int, clock: Clock
) -> tuple[Prediction, float]:
    """The model's prediction and what it took, with the time that was spent on importing left out."""
    folds = deal(question, seed)
    count = number_of_folds(len(folds))
    test = np.arange(features.train_rows, len(features.trees))
    by_fold, of_test, seconds = [], [], []
    for number in range(count):
        clock.check()
        started = monotonic()
        known, held = np.flatnonzero(folds != number), np.flatnonzero(folds == number)
        asked = np.concatenate([held, test])
        predicted = _predict(model, Fold(features, question, known, question.truth[known], asked, seed * 10 + number))
        by_fold.append((held, predicted[: len(held)]))
        of_test.append(predicted[len(held) :])
        seconds.append(monotonic() - started)
    train = np.empty((len(folds), of_test[0].shape[1]))
    for held, predicted in by_fold:
        train[held] = predicted
    return Prediction(train, np.mean(of_test, axis=0)), min(seconds) * count


def _predict(model: Model, fold: Fold) -> Matrix:
    """A metric of logarithms is learnt on logarithms."""
    if fold.question.metric.name != "RMSLE":
        return model.predict(fold)
    logs = Fold(fold.features, fold.question, fold.known, np.log1p(np.maximum(fold.answers, 0)), fold.asked, fold.seed)
    numbers: Matrix = np.maximum(np.expm1(model.predict(logs)), 0)
    return numbers
