"""Orders are scored as scipy's Kendall tau scores them, one list at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from graders.metrics import kendall_score


@pytest.mark.parametrize("seed", range(5))
def test_one_list_scores_kendalls_tau(seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(int(rng.integers(2, 60))).tolist()

    assert kendall_score([sorted(order)], [order]) == pytest.approx(kendalltau(range(len(order)), order).statistic)


def test_lists_weigh_as_their_pairs_of_items() -> None:
    assert kendall_score(["abcd", "xy"], ["abcd", "yx"]) == pytest.approx(1 - 4 * 1 / (12 + 2))
