"""The ladder of models, simplest first. What is on it depends on the task and its size alone, never on time or machine.

A model turns features and answers of some rows into a prediction for other rows: a probability for each class or flag,
or a number for each target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baseline.features import Features
from baseline.metrics import Matrix
from baseline.task import Question

Rows = NDArray[np.int64]
Predict = Callable[["Fold"], Matrix]


@dataclass(frozen=True)
class Fold:
    """Rows to learn from, their answers, and rows to predict."""

    features: Features
    question: Question
    known: Rows
    answers: Matrix
    asked: Rows
    seed: int


@dataclass(frozen=True)
class Model:
    """A rung of the ladder."""

    name: str
    predict: Predict
    work: float
    """How much work a fit is beside those of other models, for planning."""


def ladder(question: Question, features: Features) -> list[Model]:
    """The models worth trying on a task, in the order in which they are tried."""
    rows, columns = len(question.truth), features.trees.shape[1]
    outputs = len(question.classes) if question.kind == "classes" else question.truth.shape[1]
    models = [Model("prior", prior, 0), Model("linear", linear, rows * features.columns * outputs)]
    if features.words is not None and question.kind == "classes":
        models.append(Model("bayes", bayes, rows * outputs))
    elif features.words is None and rows <= 4_000:
        models.append(Model("kernel", kernel, rows * rows))
    models.append(Model("forest", forest, 20 * rows * columns))
    # Boosting grows a tree for each class and round: with many classes the forest does as well in a tenth of the time.
    if outputs <= 4:
        models.append(Model("boosting", boosting, 20 * rows * columns * outputs))
    return models


def prior(fold: Fold) -> Matrix:
    """The same for every row: how common each class is, or the mean."""
    if fold.question.kind == "classes":
        counts = np.bincount(fold.answers[:, 0].astype(int), minlength=len(fold.question.classes)) + 1.0
        return np.tile(counts / counts.sum(), (len(fold.asked), 1))
    return np.tile(fold.answers.mean(axis=0), (len(fold.asked), 1))


def linear(fold: Fold) -> Matrix:
    """Logistic or ridge regression on scaled columns and words."""
    from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV

    table: Any = fold.features.scaled
    if fold.features.words is not None:
        from scipy.sparse import csr_matrix, hstack

        table = hstack([csr_matrix(table), fold.features.words]).tocsr()
    if fold.question.kind != "values":
        strength = 1.0 if fold.features.words is None else 5.0
        return _classify(lambda: LogisticRegression(C=strength, max_iter=200), table, fold)
    if fold.features.words is None:
        return _regress(lambda: RidgeCV(alphas=np.logspace(-2, 4, 13)), table, fold)
    return _regress(lambda: Ridge(alpha=1.0, random_state=fold.seed), table, fold)


def bayes(fold: Fold) -> Matrix:
    """Naive Bayes on words."""
    from sklearn.naive_bayes import MultinomialNB

    return _classify(lambda: MultinomialNB(alpha=0.1), fold.features.words, fold)


def kernel(fold: Fold) -> Matrix:
    """Ridge regression with a radial kernel, of classes on one column for each."""
    from sklearn.kernel_ridge import KernelRidge

    table, question = fold.features.scaled, fold.question
    targets = (
        np.eye(len(question.classes))[fold.answers[:, 0].astype(int)] if question.kind == "classes" else fold.answers
    )
    centre = targets.mean(axis=0)
    machine = KernelRidge(alpha=0.1 if question.kind == "classes" else 1.0, kernel="rbf", gamma=0.3 / table.shape[1])
    machine.fit(table[fold.known], targets - centre)
    return _as_shares(machine.predict(table[fold.asked]) + centre, question)


def forest(fold: Fold) -> Matrix:
    """A random forest."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    if fold.question.kind == "values":
        return _regress(
            lambda: RandomForestRegressor(40, min_samples_leaf=3, max_features=0.5, random_state=fold.seed),
            fold.features.trees,
            fold,
        )
    return _classify(
        lambda: RandomForestClassifier(40, min_samples_leaf=2, random_state=fold.seed), fold.features.trees, fold
    )


def boosting(fold: Fold) -> Matrix:
    """Gradient boosting, on large tables with binned columns."""
    from sklearn import ensemble

    is_large = len(fold.known) > 3_000
    if is_large:
        settings: dict[str, Any] = {"max_iter": 150, "learning_rate": 0.08, "early_stopping": False}
        regressor, classifier = ensemble.HistGradientBoostingRegressor, ensemble.HistGradientBoostingClassifier
    else:
        settings = {"n_estimators": 50, "learning_rate": 0.1, "max_depth": 3, "subsample": 0.7, "max_features": "sqrt"}
        regressor, classifier = ensemble.GradientBoostingRegressor, ensemble.GradientBoostingClassifier
    if fold.question.kind == "values":
        return _regress(lambda: regressor(**settings, random_state=fold.seed), fold.features.trees, fold)
    return _classify(lambda: classifier(**settings, random_state=fold.seed), fold.features.trees, fold)


def _classify(make: Callable[[], Any], table: Any, fold: Fold) -> Matrix:
    """Probabilities: of classes one model for all, of flags a model for each."""
    if fold.question.kind == "classes":
        model = make().fit(table[fold.known], fold.answers[:, 0].astype(int))
        shares = np.zeros((len(fold.asked), len(fold.question.classes)))
        shares[:, model.classes_] = model.predict_proba(table[fold.asked])
        return shares
    return np.column_stack([_flag(make, table, fold, column) for column in range(fold.answers.shape[1])])


def _flag(make: Callable[[], Any], table: Any, fold: Fold, column: int) -> Matrix:
    answers = fold.answers[:, column]
    if answers.min() == answers.max():
        return np.full(len(fold.asked), answers[0])
    shares: Matrix = make().fit(table[fold.known], answers.astype(int)).predict_proba(table[fold.asked])[:, 1]
    return shares


def _regress(make: Callable[[], Any], table: Any, fold: Fold) -> Matrix:
    """Numbers, a model for each target, never outside of what was seen."""
    columns = [
        np.clip(make().fit(table[fold.known], answers).predict(table[fold.asked]), answers.min(), answers.max())
        for answers in fold.answers.T
    ]
    return np.column_stack(columns)


def _as_shares(raw: Matrix, question: Question) -> Matrix:
    """Kernel ridge knows no bounds: classes and flags are bent into probabilities, their order kept."""
    if question.kind == "values":
        return raw
    if question.kind == "flags":
        flags: Matrix = 1 / (1 + np.exp(6 * (0.5 - raw)))
        return flags
    shares: Matrix = np.exp(6 * (raw - raw.max(axis=1, keepdims=True)))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares
