"""spooky-author-identification: v2 finds the id by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "spooky-author-identification"


def test_the_id_may_stand_anywhere_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    id_last, sample = v1.submissions()["bad_id_last"], v1.submissions()["sample"]

    assert v1.grade(id_last, tmp_path / "s.csv").rejection["problem"] == "The first column is not 'id'."
    assert v2.grade(id_last, tmp_path / "s.csv").score == v1.grade(sample, tmp_path / "s.csv").score


def test_rows_that_do_not_sum_to_one_are_still_rejected_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v2 = prepared(ID, version="v2")

    report = v2.grade(prepared(ID).submissions()["bad_sum_slightly"], tmp_path / "s.csv")

    assert report.rejection["reason"] == "BadSum"
