"""vesuvius-challenge-ink-detection: v2 takes a blank cell for the empty mask and rejects odd masks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "vesuvius-challenge-ink-detection"


def test_a_blank_cell_is_rejected_in_v1_and_the_empty_mask_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    blank = v1.submissions()["bad_empty"]

    assert v1.grade(blank, tmp_path / "s.csv").rejection["reason"] == "MissingValues"
    assert v2.grade(blank, tmp_path / "s.csv").score == 0


@pytest.mark.parametrize("name", ["quirk_three_numbers", "quirk_past_the_end"])
def test_three_numbers_and_runs_beyond_the_picture_are_rejected_in_v2_only(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.grade(v1.submissions()[name], tmp_path / "s.csv").valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "Malformed"


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("number", ["5", "1_0"])
def test_a_lone_number_is_no_mask(number: str, version: str, prepared: Callable[..., Any], tmp_path: Path) -> None:
    made = prepared(ID, version=version)
    lone = made.submissions()["sample"].assign(Predicted=number)

    assert not made.grade(lone, tmp_path / "s.csv").valid


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    moved = v1.submissions()["moved"]

    assert v1.grade(moved, tmp_path / "s.csv").score == v2.grade(moved, tmp_path / "s.csv").score
