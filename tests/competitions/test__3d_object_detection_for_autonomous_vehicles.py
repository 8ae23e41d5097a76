"""3d-object-detection-for-autonomous-vehicles: v2's training map is the right one, and every box is checked alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

ID = "3d-object-detection-for-autonomous-vehicles"


def logs_of(made: Any, part: str) -> tuple[set[str], set[str]]:
    """Tokens that the part's map lists, and those of its logs."""
    folder = made.public / f"{part}_data"
    [record] = json.loads((folder / "map.json").read_text())
    return set(record["log_tokens"]), {log["token"] for log in json.loads((folder / "log.json").read_text())}


def test_the_training_map_lists_the_test_logs_in_v1_and_the_training_logs_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    _, test_logs = logs_of(v1, "test")
    assert logs_of(v1, "train")[0] == test_logs
    for part in ("train", "test"):
        listed, own = logs_of(v2, part)
        assert listed == own


def test_a_malformed_box_of_a_class_that_is_not_there_is_rejected_in_v2_only(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    ghosts = v1.submissions()["quirk_absent_class_ignored"]

    assert v1.grade(ghosts, tmp_path / "s.csv").score == 1
    assert v2.grade(ghosts, tmp_path / "s.csv").rejection["reason"] == "NotFinite"


def test_a_sound_box_of_a_class_that_is_not_there_still_costs_nothing(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v2 = prepared(ID, version="v2")
    perfect = v2.submissions()["perfect"]
    more = perfect.assign(PredictionString=perfect["PredictionString"] + " 1.0 1 2 3 4 5 6 0.5 zeppelin")

    assert v2.grade(more, tmp_path / "s.csv").score == 1


def test_an_infinite_height_is_a_miss_and_no_crash(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1 = prepared(ID)
    perfect = v1.submissions()["perfect"]
    pieces = perfect["PredictionString"][0].split(" ")
    pieces[6] = "inf"
    tall = perfect.assign(PredictionString=[" ".join(pieces), *perfect["PredictionString"][1:]])

    assert 0.9 < v1.grade(tall, tmp_path / "s.csv").score < 1
