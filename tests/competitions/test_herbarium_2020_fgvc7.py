"""herbarium-2020-fgvc7: v2 reads names as UTF-8 and rejects predictions with decimals, which v1 cuts off."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "herbarium-2020-fgvc7"


def test_decimals_are_cut_off_in_v1_and_rejected_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    decimals = v1.submissions()["quirk_decimals_cut"]

    assert v1.report("quirk_decimals_cut").score == v1.report("good_shuffled").score
    assert v2.grade(decimals, tmp_path / "s.csv").rejection["reason"] == "NotWhole"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.report("good_shuffled").score == v2.grade(good, tmp_path / "s.csv").score


def test_names_are_garbled_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = (
        json.loads((prepared(ID, version=version).public / "nybg2020/train/metadata.json").read_text())
        for version in ("v1", "v2")
    )

    assert all("Ã\x97 n" in category["name"] for category in v1["categories"])
    assert all("× nú" in category["name"] for category in v2["categories"])
    assert v1["annotations"] == v2["annotations"]


def test_a_byte_that_is_not_utf_8_is_read_as_latin_1(prepared: Callable[..., Any]) -> None:
    metadata = (prepared(ID, version="v2").public / "nybg2020/test/metadata.json").read_text()

    assert json.loads(metadata)["info"]["description"] == "café"
