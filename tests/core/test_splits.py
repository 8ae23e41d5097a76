"""Which splits an experiment has figures for."""

import pytest

from orchestrator.core.splits import choose_splits
from tests.core.build import facts

KNOWN = {
    **facts("ants", "birds", splits=("lite", "low", "all")),
    **facts("whales", splits=("high", "all")),
    **facts("toy", splits=("demo",)),
}


@pytest.mark.parametrize(
    "chosen, want",
    [
        pytest.param({"ants", "birds"}, ["low"], id="a split, under its one name"),
        pytest.param({"ants", "birds", "whales"}, ["low", "high", "all"], id="all has its parts too"),
        pytest.param({"ants"}, ["selected"], id="a part of a split is no split"),
        pytest.param({"ants", "birds", "toy"}, ["low", "demo", "selected"], id="splits and the choice itself"),
    ],
)
def test_the_splits_that_were_chosen_whole(chosen, want):
    splits = choose_splits(chosen, KNOWN)
    assert list(splits) == want
    assert all(ids <= chosen for ids in splits.values())
