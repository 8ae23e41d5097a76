"""ventilator-pressure-prediction: v2 rejects words in rows that are not scored, and still allows empty cells there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "ventilator-pressure-prediction"


def test_words_in_rows_that_are_not_scored_pass_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    words, empty = (v1.submissions()[f"quirk_{kind}_when_not_scored"] for kind in ("text", "empty"))

    assert v1.grade(words, tmp_path / "s.csv").score == v1.grade(empty, tmp_path / "s.csv").score
    assert v2.grade(words, tmp_path / "s.csv").rejection["reason"] == "NotNumbers"
    assert v2.grade(empty, tmp_path / "s.csv").score == v1.grade(empty, tmp_path / "s.csv").score
