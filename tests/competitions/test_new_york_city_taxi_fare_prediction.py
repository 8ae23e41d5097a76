"""new-york-city-taxi-fare-prediction: v2 compares keys; v1 scores invented ones, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "new-york-city-taxi-fare-prediction"


def test_invented_keys_are_scored_with_a_warning_in_v1_and_rejected_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    invented = v1.submissions()["quirk_wrong_keys"]

    report = v1.grade(invented, tmp_path / "s.csv")
    assert report.valid
    assert report.suspect
    assert "v1 does not compare them" in report.warnings[0]
    assert v2.grade(invented, tmp_path / "s.csv").rejection["reason"] == "UnknownIds"


def test_a_repeated_key_is_scored_in_v1_and_rejected_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    repeated = v1.submissions()["sample"].copy()
    repeated.loc[0, "key"] = repeated.loc[1, "key"]

    assert v1.grade(repeated, tmp_path / "s.csv").suspect
    assert v2.grade(repeated, tmp_path / "s.csv").rejection["reason"] == "RepeatedIds"


def test_an_honest_submission_scores_the_same_in_both_without_a_warning(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    first, second = v1.grade(good, tmp_path / "s.csv"), v2.grade(good, tmp_path / "s.csv")

    assert first.score == second.score
    assert not first.warnings


def test_prepared_files_are_the_same_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    for name in ("labels.csv", "test.csv", "sample_submission.csv"):
        assert (v1.public / name).read_bytes() == (v2.public / name).read_bytes()
