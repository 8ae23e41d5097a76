"""hotel-id-2021-fgvc8: v2 keeps uploads together, reads guesses as text and splits them at any blanks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd

import preparers

ID = "hotel-id-2021-fgvc8"


def test_uploads_are_on_both_sides_in_v1_and_on_one_in_v2(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    kit.make_raw(ID, raw, seed=0)
    pictures = pd.read_csv(raw / "train.csv")
    pictures.assign(timestamp=pictures["timestamp"].str[:4]).to_csv(raw / "train.csv", index=False)
    shared = {}
    for version in ("v1", "v2"):
        public, private = tmp_path / version / "public", tmp_path / version / "private"
        preparers.prepare(ID, raw, public, private, version)
        train, test = (
            set(pd.read_csv(path)[["hotel_id", "timestamp"]].itertuples(index=False, name=None))
            for path in (public / "train.csv", private / "test.csv")
        )
        assert test
        shared[version] = len(train & test)

    assert shared["v1"] > 0
    assert shared["v2"] == 0


def test_a_blank_among_single_guesses_spoils_all_in_v1_and_itself_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    name = "quirk_single_guess_with_blanks"

    assert v1.report(name).score == 0
    right = v2.submissions()[name]["hotel_id"].notna().mean()
    assert v2.report(name).score == round(right, 5)


def test_leading_blanks_cost_places_in_v1_and_nothing_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    for made in (v1, v2):
        spaced = made.submissions()["quirk_leading_spaces_take_ranks"]
        plain = spaced.assign(hotel_id=spaced["hotel_id"].str.split().str.join(" "))
        unspaced = made.grade(plain, tmp_path / "s.csv").score
        assert (made.report("quirk_leading_spaces_take_ranks").score == unspaced) == (made is v2)
