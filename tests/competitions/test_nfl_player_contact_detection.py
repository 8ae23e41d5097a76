"""nfl-player-contact-detection: v2 passes numbers on as they stand, and takes no labels but 0 and 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ID = "nfl-player-contact-detection"
TABLES = ("baseline_helmets", "player_tracking", "video_metadata")


def cells(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_long_numbers_change_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    raw = set(cells(v1.raw / "train_player_tracking.csv")["distance"])

    assert not set(cells(v1.public / "train_player_tracking.csv")["distance"]) <= raw
    assert set(cells(v2.public / "train_player_tracking.csv")["distance"]) <= raw


def test_every_cell_of_v2_is_the_raw_one(prepared: Callable[..., Any]) -> None:
    v2 = prepared(ID, version="v2")
    plays = set(cells(v2.raw / "train_labels.csv")["game_play"])
    for name in TABLES:
        raw = cells(v2.raw / f"train_{name}.csv")
        parts = [cells(v2.public / f"{part}_{name}.csv") for part in ("train", "test")]

        assert sorted(pd.concat(parts).values.tolist()) == sorted(raw[raw["game_play"].isin(plays)].values.tolist())


def test_both_versions_hold_back_the_same_plays(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert (v1.private / "test.csv").read_bytes() == (v2.private / "test.csv").read_bytes()
    assert (v1.public / "sample_submission.csv").read_bytes() == (v2.public / "sample_submission.csv").read_bytes()


def test_a_third_label_is_accepted_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("quirk_third_class").valid
    report = v2.grade(v1.submissions()["quirk_third_class"], tmp_path / "s.csv")
    assert report.rejection["reason"] == "UnknownLabels"


@pytest.mark.parametrize("name", ["quirk_booleans", "quirk_whole_floats", "noisy"])
def test_ways_to_write_zero_and_one_score_the_same_in_both(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").score == v1.report(name).score
