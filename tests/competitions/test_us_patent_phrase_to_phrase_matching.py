"""us-patent-phrase-to-phrase-matching: v2 scores a constant 0 and rejects what has no correlation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "us-patent-phrase-to-phrase-matching"


def test_a_constant_has_no_score_in_v1_and_scores_0_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    sample = v1.submissions()["sample"]

    assert v1.grade(sample, tmp_path / "s.csv").score is None
    assert v2.grade(sample, tmp_path / "s.csv").score == 0


@pytest.mark.parametrize("name, reason", [("nan_score", "MissingValues"), ("inf_score", "NotFinite")])
def test_missing_and_infinite_predictions_are_rejected_in_v2_only(
    prepared: Callable[..., Any], tmp_path: Path, name: str, reason: str
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    submission = v1.submissions()[name]

    assert v1.grade(submission, tmp_path / "s.csv").valid
    assert v2.grade(submission, tmp_path / "s.csv").rejection["reason"] == reason
