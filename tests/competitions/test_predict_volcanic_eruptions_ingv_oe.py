"""predict-volcanic-eruptions: v1 counts every row of a repeated id, and warns; v2 rejects repeats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

ID = "predict-volcanic-eruptions-ingv-oe"


def test_repeating_rows_of_ones_choice_pays_in_v1_and_is_rejected_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"].sort_values("segment_id")
    truth = pd.read_csv(v1.private / "test.csv").sort_values("segment_id")
    errors = (good["time_to_eruption"].to_numpy() - truth["time_to_eruption"].to_numpy()).__abs__()
    repeated = pd.concat([good, *[good[errors <= errors.min()]] * 50])

    honest, report = v1.grade(good, tmp_path / "s.csv"), v1.grade(repeated, tmp_path / "s.csv")
    assert report.score < honest.score
    assert not honest.warnings
    assert "repeated" in report.warnings[0]
    assert v2.grade(good, tmp_path / "s.csv").score == honest.score
    assert v2.grade(repeated, tmp_path / "s.csv").rejection["reason"] == "WrongRowCount"


def test_an_error_beyond_all_numbers_is_rejected(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1 = prepared(ID)

    report = v1.grade(v1.submissions()["sample"].assign(time_to_eruption=1.7e308), tmp_path / "s.csv")

    assert report.rejection["reason"] == "OutOfRange"
