"""The baseline's metrics against scikit-learn's, and how it finds them in a task's text."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as reference

import catalog

pytestmark = pytest.mark.usefixtures("baseline")

RNG = np.random.default_rng(0)
CLASSES = RNG.integers(0, 4, size=200)
SHARES = RNG.dirichlet(np.ones(4), size=200).round(2) + 1e-3
SHARES /= SHARES.sum(axis=1, keepdims=True)
GUESSES = SHARES.argmax(axis=1)
FLAGS = RNG.integers(0, 2, size=(200, 3)).astype(float)
CHANCES = RNG.random((200, 3)).round(1)
NUMBERS = RNG.gamma(2, 3, size=(200, 2)).round(1)
ESTIMATES = (NUMBERS + RNG.normal(size=(200, 2))).clip(0).round(1)


def by_column(score, truth, predicted):
    return np.mean([score(truth[:, k], predicted[:, k]) for k in range(truth.shape[1])])


CASES = {
    "log loss of classes": ("log loss", CLASSES[:, None], SHARES, lambda: reference.log_loss(CLASSES, SHARES)),
    "log loss of flags": (
        "log loss",
        FLAGS,
        CHANCES.clip(0.1, 0.9),
        lambda: by_column(reference.log_loss, FLAGS, CHANCES.clip(0.1, 0.9)),
    ),
    "area of two classes": (
        "roc auc",
        FLAGS[:, :1],
        np.column_stack([1 - CHANCES[:, 0], CHANCES[:, 0]]),
        lambda: reference.roc_auc_score(FLAGS[:, 0], CHANCES[:, 0]),
    ),
    "area of several classes": (
        "roc auc",
        CLASSES[:, None],
        SHARES,
        lambda: reference.roc_auc_score(CLASSES, SHARES, multi_class="ovr"),
    ),
    "area of flags": ("roc auc", FLAGS, CHANCES, lambda: reference.roc_auc_score(FLAGS, CHANCES)),
    "accuracy": ("accuracy", CLASSES[:, None], SHARES, lambda: reference.accuracy_score(CLASSES, GUESSES)),
    "error": ("error rate", CLASSES[:, None], SHARES, lambda: 1 - reference.accuracy_score(CLASSES, GUESSES)),
    "f1": ("macro f1", CLASSES[:, None], SHARES, lambda: reference.f1_score(CLASSES, GUESSES, average="macro")),
    "kappa": (
        "quadratic weighted kappa",
        CLASSES[:, None],
        SHARES,
        lambda: reference.cohen_kappa_score(CLASSES, GUESSES, weights="quadratic"),
    ),
    "rmse": ("rmse", NUMBERS, ESTIMATES, lambda: by_column(reference.root_mean_squared_error, NUMBERS, ESTIMATES)),
    "rmsle": (
        "rmsle",
        NUMBERS,
        ESTIMATES,
        lambda: by_column(reference.root_mean_squared_log_error, NUMBERS, ESTIMATES),
    ),
    "mae": ("mae", NUMBERS, ESTIMATES, lambda: reference.mean_absolute_error(NUMBERS, ESTIMATES)),
    "r squared": ("r squared", NUMBERS, ESTIMATES, lambda: reference.r2_score(NUMBERS, ESTIMATES)),
    "pearson": (
        "pearson",
        NUMBERS,
        ESTIMATES,
        lambda: by_column(lambda t, p: stats.pearsonr(t, p)[0], NUMBERS, ESTIMATES),
    ),
    "spearman": (
        "spearman",
        NUMBERS,
        ESTIMATES,
        lambda: by_column(lambda t, p: stats.spearmanr(t, p)[0], NUMBERS, ESTIMATES),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_metric_is_what_scikit_learn_has_under_that_name(case: str):
    from baseline.metrics import find_metric

    words, truth, predicted, expected = CASES[case]
    metric = find_metric(f"## Evaluation\nThe {words}.\n")
    assert metric is not None
    assert metric.score(truth.astype(float), predicted) == pytest.approx(expected())


def test_the_direction_of_every_official_task_is_read_rightly_or_not_at_all():
    from baseline.metrics import find_metric

    competitions = [catalog.load(name) for name in (*catalog.ids("all"), *catalog.ids("dev"))]
    found = {one.id: metric for one in competitions if (metric := find_metric(one.description))}
    wrong = [one.id for one in competitions if one.id in found and found[one.id].lower_is_better != one.lower_is_better]

    assert wrong == []
    assert len(found) >= 60


def test_the_metric_is_looked_for_where_evaluation_is_spoken_of():
    from baseline.metrics import find_metric

    text = "# Essay scoring\nAccuracy matters.\n## Evaluation\nScored by RMSE.\n## Data\nlog loss\n"
    assert find_metric(text).name == "RMSE"


def test_a_text_that_names_no_known_metric_gives_none():
    from baseline.metrics import find_metric

    assert find_metric("## Evaluation\nMean intersection over union. accurate\n") is None
