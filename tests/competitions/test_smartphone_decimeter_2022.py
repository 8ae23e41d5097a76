"""smartphone-decimeter-2022: v2 withholds the reference receiver's log, and matches rows by their time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ID = "smartphone-decimeter-2022"


def logs(made: Any, part: str) -> list[Path]:
    return list((made.public / part).rglob("*.nmea"))


def test_the_reference_receivers_log_of_test_drives_is_public_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert logs(v1, "test")
    assert logs(v2, "test") == []
    assert len(logs(v1, "train")) == len(logs(v2, "train")) > 0
    assert list((v2.public / "test").rglob("gnss_log.txt"))


def test_rows_in_another_order_are_misread_in_v1_and_the_same_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good, shuffled = (v1.submissions()[name] for name in ("good", "quirk_shuffled_is_misread"))

    assert v1.grade(shuffled, tmp_path / "s.csv").score > v1.grade(good, tmp_path / "s.csv").score
    assert v2.grade(shuffled, tmp_path / "s.csv").score == v1.grade(good, tmp_path / "s.csv").score


def test_wrong_and_repeated_times_are_rejected_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good"]
    repeated = good.copy()
    repeated.loc[1, "UnixTimeMillis"] = repeated.loc[0, "UnixTimeMillis"]

    for submission, reason in ((v1.submissions()["quirk_times_ignored"], "UnknownIds"), (repeated, "RepeatedIds")):
        assert v1.grade(submission, tmp_path / "s.csv").valid
        assert v2.grade(submission, tmp_path / "s.csv").rejection["reason"] == reason


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_place_that_is_nowhere_has_no_score_in_v1_and_is_rejected_in_v2(
    value: float, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    nowhere = v1.submissions()["good"].copy()
    nowhere.loc[2, "LongitudeDegrees"] = value

    report = v1.grade(nowhere, tmp_path / "s.csv")
    assert report.valid
    assert report.score is None
    assert not v2.grade(nowhere, tmp_path / "s.csv").valid
