"""siim-covid19-detection: v2 ranks predictions only, and takes the header of Kaggle's example."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "siim-covid19-detection"


def test_predicting_nothing_earns_something_in_v1_and_nothing_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    nothing = v1.submissions()["sample"].assign(PredictionString="unicorn 1 0 0 1 1")

    assert v1.grade(nothing, tmp_path / "s.csv").score > 0.1
    assert v2.grade(nothing, tmp_path / "s.csv").score == 0


def test_precision_is_the_area_under_the_envelope_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    """A false alarm of every class in every row, ranked first, leaves each class its share of the rows at best."""
    v2 = prepared(ID, version="v2")
    perfect = v2.submissions()["perfect"]
    kinds = ("atypical", "indeterminate", "negative", "none", "opacity", "typical")
    alarms = " ".join(f"{kind} 2 5000 5000 5001 5001" for kind in kinds)
    noisy = perfect.assign(PredictionString=alarms + " " + perfect["PredictionString"])
    rows = len(perfect)
    truths = [perfect["PredictionString"].str.count(rf"\b{kind}\b").sum() for kind in kinds]

    expected = sum(true / (rows + true) for true in truths) / len(kinds)
    assert v2.grade(noisy, tmp_path / "s.csv").score == pytest.approx(expected, abs=1e-5)


def test_both_headers_are_taken_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    sample = v1.submissions()["sample"]
    renamed = sample.rename(columns={"id": "Id"})

    assert v1.grade(renamed, tmp_path / "s.csv").rejection["reason"] == "MissingColumns"
    assert v2.grade(renamed, tmp_path / "s.csv").score == v2.grade(sample, tmp_path / "s.csv").score


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_rows_and_equal_confidences_may_come_in_any_order(
    version: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = prepared(ID, version=version)
    doubled = made.submissions()["boxes_doubled"]

    score = made.grade(doubled, tmp_path / "s.csv").score
    assert made.grade(doubled.iloc[::-1], tmp_path / "s.csv").score == score
