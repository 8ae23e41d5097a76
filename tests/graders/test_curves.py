"""The ROC curve and weighted areas under it, against scikit-learn's; and truths for which nothing is defined."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as reference

import graders
from graders import InvalidSubmission, metrics
from graders.metrics.ranking import roc_curve

CASES = 60


@pytest.mark.parametrize("decimals", [0, 1, 8])
def test_the_curve_is_scikit_learns(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    truth, predicted = np.arange(CASES) % 3 == 0, np.round(rng.random(CASES), decimals)

    ours, theirs = roc_curve(truth, predicted), reference.roc_curve(truth, predicted, drop_intermediate=False)[:2]

    assert np.allclose(ours[0], theirs[0])
    assert np.allclose(ours[1], theirs[1])


@pytest.mark.parametrize("metric", [metrics.roc_auc_score, metrics.binary_log_loss, roc_curve])
@pytest.mark.parametrize("label", [0, 1])
def test_nothing_can_be_scored_where_every_case_is_alike(metric: object, label: int) -> None:
    assert callable(metric)
    with pytest.raises(InvalidSubmission, match="not defined on this data"):
        metric([label] * 3, [0.1, 0.5, 0.9])


def weighted_area(truth: np.ndarray, predicted: np.ndarray) -> float:
    """alaska2's measure in so many words: slices of the curve, each closed with a point at its right."""
    alarms, hits, _ = reference.roc_curve(truth, predicted)
    if 0.4 not in hits:
        after = int(np.argmax(hits > 0.4))
        alarms = np.insert(alarms, after, np.interp(0.4, hits[after - 1 : after + 1], alarms[after - 1 : after + 1]))
        hits = np.insert(hits, after, 0.4)
    total = 0.0
    for low, high, weight in ((0.0, 0.4, 2), (0.4, 1.0, 1)):
        inside = (low <= hits) & (hits <= high)
        total += weight * reference.auc(np.append(alarms[inside], 1.0), np.append(hits[inside], high) - low)
    return total / (2 * 0.4 + 1 * 0.6)


@pytest.mark.parametrize("decimals", [0, 1, 2, 8])
@pytest.mark.parametrize("positives", [5, 20, 33])
def test_the_weighted_area_of_alaska2_is_that_of_its_slices(decimals: int, positives: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([decimals, positives])
    truth = (np.arange(CASES) < positives).astype(int)
    predicted = np.round(truth * 0.3 + rng.normal(0, 0.5, CASES), decimals)
    for name, values in (("test", truth), ("submission", predicted)):
        frame = pd.DataFrame({"Id": [f"{k:04d}.jpg" for k in range(CASES)], "Label": values})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)

    report = graders.grade("alaska2-image-steganalysis", tmp_path / "submission.csv", tmp_path)

    assert report.score == round(weighted_area(truth, predicted), 5)
