"""learning-agency-lab-automated-essay-scoring-2: v2 takes scores from 1 to 6 only, and weighs by all six."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "learning-agency-lab-automated-essay-scoring-2"


def test_scores_outside_the_scale_are_accepted_in_v1_and_rejected_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    outside = v1.submissions()["quirk_outside_scale"]

    assert v1.report("quirk_outside_scale").valid
    assert v2.grade(outside, tmp_path / "s.csv").rejection["reason"] == "UnknownLabels"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.report("good_shuffled").score == v2.grade(good, tmp_path / "s.csv").score
