"""rsna-breast-cancer-detection: v2 rejects missing values, and scores a submission that finds nothing 0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "rsna-breast-cancer-detection"


def test_missing_predictions_are_rejected_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("quirk_nan").score == 0
    assert v2.grade(v1.submissions()["quirk_nan"], tmp_path / "s.csv").rejection["reason"] == "MissingValues"


@pytest.mark.parametrize("name", ["bad_all_negative", "quirk_all_zero", "quirk_some_zero_some_negative"])
def test_finding_nothing_scores_zero_in_v2(name: str, prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).valid == (name != "bad_all_negative")
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").score == 0


def test_one_missing_value_saves_negative_predictions_in_v1(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1 = prepared(ID)
    negative = v1.submissions()["bad_all_negative"].copy()
    negative.loc[0, "cancer"] = None

    assert v1.grade(negative, tmp_path / "s.csv").score == 0


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v2.grade(v1.submissions()["noisy"], tmp_path / "s.csv").score == v1.report("noisy").score
