"""whale-categorization-playground: v2 splits guesses at any blanks and rejects an empty prediction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "whale-categorization-playground"


def test_two_blanks_cost_a_place_in_v1_and_nothing_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    spaced = v1.submissions()["quirk_double_spaces"]
    plain = spaced.assign(Id=spaced["Id"].str.split().str.join(" "))

    expected = v1.grade(plain, tmp_path / "s.csv").score
    assert v1.report("quirk_double_spaces").score < expected
    assert v2.grade(spaced, tmp_path / "s.csv").score == expected


@pytest.mark.parametrize("blank", ["", "  "])
def test_an_empty_prediction_is_wrong_in_v1_and_rejected_in_v2(
    blank: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    hole = v1.submissions()["five_random"].copy()
    hole.loc[0, "Id"] = blank

    assert v1.grade(hole, tmp_path / "s.csv").valid
    assert v2.grade(hole, tmp_path / "s.csv").rejection["reason"] == "MissingValues"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.report("good_shuffled").score == v2.grade(good, tmp_path / "s.csv").score
