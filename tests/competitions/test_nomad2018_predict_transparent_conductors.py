"""nomad2018: v2 matches rows by id, v1 by position."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "nomad2018-predict-transparent-conductors"


def test_the_order_of_rows_matters_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good, shuffled = (v1.submissions()[name] for name in ("good", "quirk_shuffled"))
    scores = {made.version: made.grade(good, tmp_path / "s.csv").score for made in (v1, v2)}

    assert scores["v1"] == scores["v2"]
    assert v1.grade(shuffled, tmp_path / "s.csv").score != scores["v1"]
    assert v2.grade(shuffled, tmp_path / "s.csv").score == scores["v2"]


def test_ids_are_needed_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    for name, reason in (("quirk_no_id", "MissingColumns"), ("quirk_other_ids", "RepeatedIds")):
        submission = v1.submissions()[name]

        assert v1.grade(submission, tmp_path / "s.csv").valid
        assert v2.grade(submission, tmp_path / "s.csv").rejection["reason"] == reason
