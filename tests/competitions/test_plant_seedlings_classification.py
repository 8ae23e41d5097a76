"""plant-seedlings-classification: v2 rejects empty and unknown species."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "plant-seedlings-classification"


@pytest.mark.parametrize("name", ["quirk_unknown_species", "quirk_nan", "lower_case"])
def test_what_is_no_species_is_wrong_in_v1_and_rejected_in_v2(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).score < v1.report("good_shuffled").score
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "UnknownLabels"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.report("good_shuffled").score == v2.grade(good, tmp_path / "s.csv").score
