"""herbarium-2021-fgvc8: v2 rejects decimals and numbers that are no species."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ID = "herbarium-2021-fgvc8"


@pytest.mark.parametrize("name", ["quirk_decimals", "quirk_negative_class"])
def test_what_is_no_species_is_accepted_in_v1_and_rejected_in_v2(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "UnknownLabels"


def test_a_species_that_no_test_picture_shows_is_accepted_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"].copy()
    species = {entry["id"] for entry in json.loads((v2.public / "train/metadata.json").read_text())["categories"]}
    unseen = species - set(v1.submissions()["perfect"]["Predicted"])
    good.iloc[0, 1] = min(unseen)

    assert v1.grade(good, tmp_path / "s.csv").score == v2.grade(good, tmp_path / "s.csv").score > 0.5
