"""jigsaw-toxic-comment-classification-challenge: v2 goes by names and ids, v1 by position."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "jigsaw-toxic-comment-classification-challenge"


def within_bounds(frame: Any) -> Any:
    return frame.assign(**{kind: frame[kind].clip(0, 1) for kind in frame.columns.drop("id")})


def test_the_order_of_columns_matters_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    noisy = v1.submissions()["noisy"]
    turned = noisy[["id", *noisy.columns[:0:-1]]]

    assert v1.grade(turned, tmp_path / "s.csv").score != v1.grade(noisy, tmp_path / "s.csv").score
    assert v2.grade(turned, tmp_path / "s.csv").score == v1.grade(noisy, tmp_path / "s.csv").score


def test_other_columns_are_ignored_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    noisy = v1.submissions()["noisy"].assign(note="x")

    assert v1.grade(noisy, tmp_path / "s.csv").rejection["reason"] == "UnexpectedColumns"
    assert v2.grade(noisy, tmp_path / "s.csv").score == v1.report("noisy").score


@pytest.mark.parametrize("name", ["quirk_duplicate_of_scored_id", "quirk_duplicate_of_unscored_id"])
def test_a_repeated_id_slips_through_in_v1_only(name: str, prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    repeated = within_bounds(v1.submissions()[name])

    assert v1.grade(repeated, tmp_path / "s.csv").valid
    assert v2.grade(repeated, tmp_path / "s.csv").rejection["reason"] == "RepeatedIds"


@pytest.mark.parametrize(("name", "reason"), [("logits", "OutOfRange"), ("quirk_blank_unscored", "MissingValues")])
def test_all_values_must_be_probabilities_in_v2_only(
    name: str, reason: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == reason


def test_text_in_a_row_that_is_not_scored_is_accepted_in_v1(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1 = prepared(ID)
    blank = v1.submissions()["quirk_blank_unscored"]

    words = blank.assign(insult=blank["insult"].astype(object).where(blank["insult"].notna(), "high"))

    assert v1.grade(words, tmp_path / "s.csv").score == v1.report("quirk_blank_unscored").score
