"""Label-ranking precision is scikit-learn's, each case weighted by its number of true labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import label_ranking_average_precision_score

from graders.metrics import label_ranking_precision_score


@pytest.mark.parametrize("seed", range(5))
def test_it_is_scikit_learns_with_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random((40, 9)) < rng.random((40, 1))
    truth[0], truth[1] = False, True
    scores = rng.random((40, 9)).round(1)

    expected = label_ranking_average_precision_score(truth, scores, sample_weight=truth.sum(axis=1))
    assert label_ranking_precision_score(truth, scores) == pytest.approx(expected)
