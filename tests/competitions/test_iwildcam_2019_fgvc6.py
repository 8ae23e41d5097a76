"""iwildcam-2019-fgvc6: v2's sample has no stray column, and categories are 0 to 22."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "iwildcam-2019-fgvc6"


def test_the_sample_has_a_stray_column_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = (
        (prepared(ID, version=version).public / "sample_submission.csv").read_text().partition("\n")[0]
        for version in ("v1", "v2")
    )

    assert v1 == ",Id,Category"
    assert v2 == "Id,Category"


@pytest.mark.parametrize("name", ["quirk_unknown_class", "quirk_fractions_cut"])
def test_what_is_no_category_is_accepted_in_v1_and_rejected_in_v2(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "UnknownLabels"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.report("good_shuffled").score == v2.grade(good, tmp_path / "s.csv").score
