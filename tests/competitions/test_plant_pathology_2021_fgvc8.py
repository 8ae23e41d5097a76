"""plant-pathology-2021-fgvc8: v2 is the mean of each picture's F1, unknown classes count, copies stay together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd
import pytest

import preparers

ID = "plant-pathology-2021-fgvc8"


def test_unknown_classes_are_free_in_v1_and_cost_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    name = "quirk_unknown_classes_are_free"

    assert v1.report(name).score == 1
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").score < 1


def test_v2_is_the_mean_over_pictures(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v2 = prepared(ID, version="v2")
    truth = pd.read_csv(v2.private / "answers.csv")
    labels = [set(cell.split()) for cell in truth["labels"]]
    expected = sum(2 * ("scab" in some) / (1 + len(some)) for some in labels) / len(labels)

    report = v2.grade(truth.assign(labels="scab"), tmp_path / "s.csv")

    assert report.score == pytest.approx(expected, abs=1e-5)


def test_copies_are_on_both_sides_in_v1_and_on_one_in_v2(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    kit.make_raw(ID, raw, seed=0)
    photos = sorted((raw / "train_images").iterdir())
    for one, other in zip(photos[::2], photos[1::2], strict=False):
        other.write_bytes(one.read_bytes())
    shared = {}
    for version in ("v1", "v2"):
        public = tmp_path / version / "public"
        preparers.prepare(ID, raw, public, tmp_path / version / "private", version)
        train, test = (
            {path.read_bytes() for path in (public / f"{part}_images").iterdir()} for part in ("train", "test")
        )
        assert test
        shared[version] = len(train & test)

    assert shared["v1"] > 0
    assert shared["v2"] == 0
