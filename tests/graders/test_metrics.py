"""Metrics against scikit-learn and scipy on random data, with ties, rare classes and odd values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics as reference
from hypothesis import given
from hypothesis import strategies as st

from graders import InvalidSubmission, metrics

SEEDS = range(20)


def rounded(rng: np.random.Generator, size: Any) -> Any:
    """Random numbers with many ties."""
    return np.round(rng.random(size), int(rng.integers(1, 4)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (metrics.mean_absolute_error, reference.mean_absolute_error),
        (metrics.root_mean_squared_error, reference.root_mean_squared_error),
        (metrics.root_mean_squared_log_error, reference.root_mean_squared_log_error),
        (metrics.pearson_score, lambda t, p: scipy.stats.pearsonr(t, p).statistic),
        (metrics.spearman_score, lambda t, p: scipy.stats.spearmanr(t, p).statistic),
    ],
)
def test_numbers(ours: Callable[..., float], theirs: Callable[..., float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rounded(rng, 50) * 100, rounded(rng, 50) * 100

    assert ours(truth, predicted) == pytest.approx(theirs(truth, predicted), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (metrics.roc_auc_score, reference.roc_auc_score),
        (metrics.average_precision_score, reference.average_precision_score),
        (metrics.binary_log_loss, reference.log_loss),
    ],
)
def test_scores_of_an_event(ours: Callable[..., float], theirs: Callable[..., float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.append(rng.random(60) < 0.3, [True, False])
    predicted = np.append(rounded(rng, 60), [0.0, 1.0])

    assert ours(truth, predicted) == pytest.approx(theirs(truth, predicted), rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_several_columns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.eye(4, dtype=int)[np.append(rng.integers(0, 4, 40), [0, 1, 2, 3])]
    predicted = np.vstack([rng.dirichlet(np.ones(4), 40), np.eye(4)[[1, 1, 2, 3]]])

    assert metrics.log_loss(truth, predicted) == pytest.approx(reference.log_loss(truth, predicted), rel=1e-12)
    assert metrics.mean_roc_auc_score(truth, predicted) == pytest.approx(reference.roc_auc_score(truth, predicted))


def test_certain_predictions_are_clipped_as_scikit_learn_clips_them() -> None:
    right, wrong = np.eye(3), np.eye(3)[[1, 2, 0]]

    assert metrics.log_loss(right, right) == pytest.approx(reference.log_loss(right, right), rel=1e-9)
    assert metrics.log_loss(right, wrong) == pytest.approx(reference.log_loss(right, wrong), rel=1e-12)


@pytest.mark.parametrize("kind", ["whole numbers", "halves", "words"])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (metrics.accuracy_score, reference.accuracy_score),
        (metrics.macro_f1_score, lambda t, p: reference.f1_score(t, p, average="macro")),
        (metrics.matthews_score, reference.matthews_corrcoef),
        (metrics.quadratic_kappa_score, lambda t, p: reference.cohen_kappa_score(p, t, weights="quadratic")),
    ],
)
def test_labels(ours: Callable[..., float], theirs: Callable[..., float], kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 6, 40) * 3, rng.integers(-1, 7, 40) * 3
    if kind == "halves":
        truth, predicted = truth.astype(float), predicted.astype(float)
    if kind == "words":
        truth, predicted = truth.astype(str), predicted.astype(str)

    assert ours(truth, predicted) == pytest.approx(theirs(truth, predicted), rel=1e-12)


def test_labels_of_one_kind_on_one_side() -> None:
    assert metrics.matthews_score([0, 1, 1], [1, 1, 1]) == 0.0
    assert metrics.quadratic_kappa_score([0, 1, 2], [0, 0, 0]) == 0.0
    assert np.isnan(metrics.quadratic_kappa_score([2, 2], [2, 2]))
    assert metrics.accuracy_score([1, 0], np.array(["1", "x"], dtype=object)) == 0.0


def test_kappa_over_a_given_list_of_labels_keeps_the_gaps() -> None:
    with_gap = metrics.quadratic_kappa_score([0, 1, 4], [0, 4, 4], labels=range(5))

    assert with_gap == pytest.approx(
        reference.cohen_kappa_score([0, 4, 4], [0, 1, 4], labels=range(5), weights="quadratic")
    )
    assert with_gap != metrics.quadratic_kappa_score([0, 1, 4], [0, 4, 4])


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_of_labels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random((30, 5)) < 0.4
    truth[:, 4] = False
    predicted = rng.random((30, 5)) < 0.4
    names = np.array(list("abcde"))
    as_sets = [[set(names[row]) for row in matrix] for matrix in (truth, predicted)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert metrics.micro_f1_score(*as_sets) == pytest.approx(reference.f1_score(truth, predicted, average="micro"))
        assert metrics.micro_f1_score(*as_sets, known_only=True) == pytest.approx(
            reference.f1_score(truth[:, :4], predicted[:, :4], average="micro")
        )
        assert metrics.mean_f1_score(*as_sets) == pytest.approx(reference.f1_score(truth, predicted, average="samples"))
        assert metrics.mean_jaccard_score(*as_sets, both_empty=0) == pytest.approx(
            reference.jaccard_score(truth, predicted, average="samples")
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_areas(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.random(80) < 0.5, rng.random(80) < 0.5
    areas = truth.sum(), predicted.sum(), (truth & predicted).sum()

    assert metrics.dice_score(*areas, both_empty=1) == pytest.approx(reference.f1_score(truth, predicted))
    assert metrics.f_beta_score(*areas, beta=0.5) == pytest.approx(reference.fbeta_score(truth, predicted, beta=0.5))


def test_empty_areas() -> None:
    assert metrics.dice_score(0, 0, 0, both_empty=1.0) == 1.0
    assert metrics.f_beta_score(0, 0, 0, beta=0.5) == 0.0


def test_correlation_with_what_has_none_is_not_a_number() -> None:
    for predicted in ([3, 3, 3], [1, np.nan, 2], [1, np.inf, 2]):
        assert np.isnan(metrics.pearson_score([1, 2, 3], predicted))
    assert np.isnan(metrics.spearman_score([1, 2, 3], [1.0, np.nan, 2.0]))
    assert metrics.spearman_score([1, 2, 3], [1, 2, np.inf]) == pytest.approx(1)
    assert metrics.spearman_score([1, 2, 3], ["a", "b", "c"]) == pytest.approx(1)


def test_a_curve_over_one_class_has_no_value() -> None:
    with pytest.raises(InvalidSubmission, match="not defined on this data") as rejected:
        metrics.roc_auc_score([1, 1], [0.2, 0.3])
    assert rejected.value.reason == "NotScorable"


def test_average_precision_at_counts_a_repeated_guess_once_and_stops_in_time() -> None:
    at = metrics.average_precision_at_score

    assert at([{"a"}], [["x", "a", "a"]], most=5) == 0.5
    assert at([{"a"}], [["x", "y", "a"]], most=2) == 0.0
    assert at([{"a", "b"}], [["a", "a", "b"]], most=5) == pytest.approx((1 + 2 / 3) / 2)
    assert at([{"a", "b", "c"}], [["a", "b"]], most=2) == 1.0


@given(st.text("abc", max_size=80), st.text("abc", max_size=80))
def test_edit_distance_is_that_of_the_textbook(one: str, other: str) -> None:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        above, row = row, [i]
        for j, b in enumerate(other, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (a != b)))

    assert metrics.edit_distance(one, other) == row[-1]
    assert metrics.edit_distance([ord(c) for c in one], [ord(c) for c in other]) == row[-1]
