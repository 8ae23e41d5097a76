"""cdiscount-image-classification-challenge: v2 rejects words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "cdiscount-image-classification-challenge"


def test_words_score_nothing_in_v1_and_are_rejected_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    words = v1.submissions()["quirk_one_text"]

    assert v1.report("quirk_one_text").score == 0
    assert v2.grade(words, tmp_path / "s.csv").rejection["reason"] == "NotNumbers"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["quirk_whole_floats_extra_column"]

    assert v1.grade(good, tmp_path / "s.csv").score == v2.grade(good, tmp_path / "s.csv").score > 0.5
