"""The metrics the agent knows: found in the task's text, computed on its own cross-validation.

Truth and prediction are matrices with a row for each row of the table. Of one label among classes, truth holds the
class numbers in its one column and the prediction a probability for each class. Of numbers and of flags, both hold a
column for each target. Everything is numpy: a second spent on importing a library is a second not spent on fitting.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Wants = Literal["probability", "label", "value"]


@dataclass(frozen=True)
class Metric:
    """How predictions are scored, and what kind of prediction it asks for."""

    name: str
    wants: Wants
    lower_is_better: bool
    score: Callable[[Matrix, Matrix], float]

    def is_better(self, score: float, than: float) -> bool:
        return score < than if self.lower_is_better else score > than

    def __str__(self) -> str:
        return f"{self.name} ({'lower' if self.lower_is_better else 'higher'} is better)"


def log_loss(truth: Matrix, predicted: Matrix) -> float:
    shares = np.clip(predicted, 1e-15, 1 - 1e-15)
    if truth.shape == predicted.shape:
        return float(-np.mean(truth * np.log(shares) + (1 - truth) * np.log(1 - shares)))
    shares = shares / shares.sum(axis=1, keepdims=True)
    return float(-np.mean(np.log(shares[np.arange(len(truth)), truth[:, 0].astype(int)])))


def roc_auc(truth: Matrix, predicted: Matrix) -> float:
    """Of a binary label the usual area; of flags or several classes the mean over columns that have both values."""
    flags = truth if truth.shape == predicted.shape else np.eye(predicted.shape[1])[truth[:, 0].astype(int)]
    if flags.shape[1] == 2 and flags is not truth:
        flags, predicted = flags[:, 1:], predicted[:, 1:]
    areas = [_area(flags[:, k] > 0.5, predicted[:, k]) for k in range(flags.shape[1])]
    return float(np.nanmean(areas)) if not np.all(np.isnan(areas)) else 0.5


def _area(positive: NDArray[np.bool_], score: Matrix) -> float:
    above, below = int(positive.sum()), int((~positive).sum())
    if not above or not below:
        return float("nan")
    return float((ranks(score)[positive].sum() - above * (above + 1) / 2) / (above * below))


def ranks(values: Matrix) -> Matrix:
    """Ranks from 1, ties sharing their mean."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean: Matrix = last - (counts - 1) / 2
    return mean[inverse]


def labels(truth: Matrix, predicted: Matrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """True and predicted class numbers."""
    return truth[:, 0].astype(np.int64), predicted.argmax(axis=1)


def accuracy(truth: Matrix, predicted: Matrix) -> float:
    if truth.shape == predicted.shape:
        return float(np.mean((truth > 0.5) == (predicted > 0.5)))
    true, guessed = labels(truth, predicted)
    return float(np.mean(true == guessed))


def error_rate(truth: Matrix, predicted: Matrix) -> float:
    return 1 - accuracy(truth, predicted)


def macro_f1(truth: Matrix, predicted: Matrix) -> float:
    true, guessed = labels(truth, predicted)
    found = np.unique(np.concatenate([true, guessed]))
    scores = [2 * np.sum((true == c) & (guessed == c)) / (np.sum(true == c) + np.sum(guessed == c)) for c in found]
    return float(np.mean(scores))


def quadratic_kappa(truth: Matrix, predicted: Matrix) -> float:
    true, guessed = labels(truth, predicted)
    classes = predicted.shape[1]
    seen = np.zeros((classes, classes))
    np.add.at(seen, (true, guessed), 1)
    weights = np.subtract.outer(np.arange(classes), np.arange(classes)) ** 2
    by_chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / len(true)
    return float(1 - (weights * seen).sum() / max((weights * by_chance).sum(), 1e-12))


def rmse(truth: Matrix, predicted: Matrix) -> float:
    """Of several columns, the mean of their errors."""
    return float(np.mean(np.sqrt(np.mean((truth - predicted) ** 2, axis=0))))


def rmsle(truth: Matrix, predicted: Matrix) -> float:
    return rmse(np.log1p(np.maximum(truth, 0)), np.log1p(np.maximum(predicted, 0)))


def mean_absolute_error(truth: Matrix, predicted: Matrix) -> float:
    return float(np.mean(np.abs(truth - predicted)))


def r_squared(truth: Matrix, predicted: Matrix) -> float:
    spread = np.sum((truth - truth.mean(axis=0)) ** 2, axis=0)
    return float(np.mean(1 - np.sum((truth - predicted) ** 2, axis=0) / np.maximum(spread, 1e-12)))


def pearson(truth: Matrix, predicted: Matrix) -> float:
    return float(np.mean([_correlation(truth[:, k], predicted[:, k]) for k in range(truth.shape[1])]))


def spearman(truth: Matrix, predicted: Matrix) -> float:
    pairs = ((ranks(truth[:, k]), ranks(predicted[:, k])) for k in range(truth.shape[1]))
    return float(np.mean([_correlation(true, guessed) for true, guessed in pairs]))


def _correlation(true: Matrix, guessed: Matrix) -> float:
    if true.std() == 0 or guessed.std() == 0:
        return 0.0
    return float(np.corrcoef(true, guessed)[0, 1])


LOG_LOSS = Metric("log loss", "probability", True, log_loss)
ROC_AUC = Metric("ROC AUC", "probability", False, roc_auc)
ACCURACY = Metric("accuracy", "label", False, accuracy)
RMSE = Metric("RMSE", "value", True, rmse)

# Patterns are tried on the task's text together, and the one that matches first in it wins; of two that match at the
# same place, the earlier here.
KNOWN: tuple[tuple[str, Metric], ...] = (
    (r"log(arithmic)?[- ]?loss|cross[- ]entropy|kullback", LOG_LOSS),
    (r"area under the (roc|receiver|curve)|roc[- ]?auc|auc[- ]?roc|\bauc\b|\bgini\b", ROC_AUC),
    (r"(quadratic|cohen'?s)[- a-z]*kappa", Metric("quadratic weighted kappa", "label", False, quadratic_kappa)),
    (r"accuracy|share of [a-z ]+ (predicted|classified) (right|correctly)", ACCURACY),
    (r"classification error|error rate|top-1 [a-z ]*error", Metric("error rate", "label", True, error_rate)),
    (r"\b(macro|micro|weighted|mean)?[- ]?(averaged )?f[- ]?1\b", Metric("macro F1", "label", False, macro_f1)),
    (r"root mean squared? log\w*|\brmsle\b", Metric("RMSLE", "value", True, rmsle)),
    (r"root[- ]mean[- ]squared?|\brmse\b|mean[- ]squared[- ]error|\bmse\b", RMSE),
    (r"mean absolute|median absolute|\bmae\b", Metric("mean absolute error", "value", True, mean_absolute_error)),
    (r"spearman", Metric("Spearman correlation", "value", False, spearman)),
    (r"pearson", Metric("Pearson correlation", "value", False, pearson)),
    (r"r[ -]?squared|\br2\b|coefficient of determination|r²", Metric("R squared", "value", False, r_squared)),
)


def find_metric(text: str) -> Metric | None:
    """The metric that a task's text asks for, in its evaluation section if it has one; None if we know none of it."""
    part = evaluation_section(text) or text
    matches = [
        (match.start(), place, metric)
        for place, (pattern, metric) in enumerate(KNOWN)
        if (match := re.search(pattern, part, re.IGNORECASE))
    ]
    return min(matches, key=lambda found: found[:2])[2] if matches else None


def evaluation_section(text: str) -> str:
    """What stands under a heading that speaks of evaluation, or else of metric or scoring; empty if there is none."""
    for word in ("evaluation", "metric", "scoring"):
        section = rf"^#+[^\n]*{word}[^\n]*\n(.*?)(?=^#|\Z)"
        if match := re.search(section, text, re.IGNORECASE | re.MULTILINE | re.DOTALL):
            return match.group(1)
    return ""
