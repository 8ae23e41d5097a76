"""imet-2020-fgvc7: in v2 every predicted attribute counts, and one number in each row is a fine submission."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "imet-2020-fgvc7"


def test_unknown_attributes_are_free_in_v1_and_cost_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    name = "quirk_unknown_attributes_are_free"

    assert v1.report(name).score == 1
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").score < 1


@pytest.mark.parametrize("name", ["bad_one_number_each", "bad_one_number_each_with_gaps"])
def test_one_number_in_each_row_is_rejected_in_v1_only(name: str, prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).rejection["reason"] == "NotText"
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").score > 0


def test_attributes_that_test_pictures_have_score_the_same_in_both(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    some = v1.submissions()["perfect"].copy()
    some.iloc[::2, 1] = None

    assert 0 < v1.grade(some, tmp_path / "s.csv").score == v2.grade(some, tmp_path / "s.csv").score < 1
