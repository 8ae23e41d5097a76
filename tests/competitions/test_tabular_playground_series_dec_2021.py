"""tabular-playground-series-dec-2021: v2 rejects words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "tabular-playground-series-dec-2021"


@pytest.mark.parametrize("name", ["quirk_all_text", "quirk_one_text"])
def test_words_score_nothing_in_v1_and_are_rejected_in_v2(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).score == 0
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "NotNumbers"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["quirk_whole_floats_extra_column"]

    assert v1.grade(good, tmp_path / "s.csv").score == v2.grade(good, tmp_path / "s.csv").score > 0.5
