"""herbarium-2022-fgvc9: v2 rejects predictions with decimals, which v1 cuts off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "herbarium-2022-fgvc9"


def test_decimals_are_cut_off_in_v1_and_rejected_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    decimals = v1.submissions()["quirk_fractions_cut"]

    assert v1.report("quirk_fractions_cut").score == v1.report("good_shuffled").score
    assert v2.grade(decimals, tmp_path / "s.csv").rejection["reason"] == "NotWhole"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.report("good_shuffled").score == v2.grade(good, tmp_path / "s.csv").score
