"""tweet-sentiment-extraction: v2 keeps texts such as null, and counts 1 where prediction and answer are both empty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd

import graders

ID = "tweet-sentiment-extraction"
AS_WRITTEN = {"dtype": str, "keep_default_na": False}


def lost(made: Any) -> int:
    """Texts of the raw file that are nan or null, and are not in the prepared files."""
    raw = pd.read_csv(made.raw / "train.csv", **AS_WRITTEN)["selected_text"].isin(["nan", "null"]).sum()
    sides = (made.public / "train.csv", made.private / "test.csv")
    kept = sum(pd.read_csv(path, **AS_WRITTEN)["selected_text"].isin(["nan", "null"]).sum() for path in sides)
    return int(raw - kept)


def test_v1_loses_texts_that_look_like_missing_values_and_v2_keeps_them(prepared: Callable[..., Any]) -> None:
    assert lost(prepared(ID)) > 0
    assert lost(prepared(ID, version="v2")) == 0


def test_both_sides_empty_reject_in_v1_and_count_1_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1 = prepared(ID, seed=1)
    perfect = pd.read_csv(v1.private / "test.csv", **AS_WRITTEN)[["textID", "selected_text"]]
    assert (perfect["selected_text"] == "").any(), "the kit's seed 1 has an empty answer in the test part"
    path = kit.write_submission(perfect, tmp_path / "s.csv")

    assert graders.grade(ID, path, v1.private, "v1").rejection["reason"] == "NotScorable"
    assert graders.grade(ID, path, v1.private, "v2").score == 1


def test_numbers_stay_as_they_are_written_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    decimals = v1.submissions()["quirk_decimals"]
    right = pd.read_csv(v2.private / "test.csv", **AS_WRITTEN)["selected_text"].str.split().map(lambda w: "2.50" in w)

    assert right.any()
    assert v1.grade(decimals, tmp_path / "s.csv").score == 0
    assert v2.grade(decimals, tmp_path / "s.csv").score > 0
