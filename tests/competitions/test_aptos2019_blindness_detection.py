"""aptos2019-blindness-detection: v2 keeps copies of a photograph together and takes grades from 0 to 4 only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd
import pytest

import preparers

ID = "aptos2019-blindness-detection"


def copied_contents(folder: Path) -> tuple[set[bytes], set[bytes]]:
    train, test = ({path.read_bytes() for path in (folder / f"{part}_images").iterdir()} for part in ("train", "test"))
    return train, test


def test_copies_are_on_both_sides_in_v1_and_on_one_in_v2(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    kit.make_raw(ID, raw, seed=0)
    photos = sorted((raw / "train_images").iterdir())
    for one, other in zip(photos[::2], photos[1::2], strict=False):
        other.write_bytes(one.read_bytes())
    for version in ("v1", "v2"):
        preparers.prepare(ID, raw, tmp_path / version / "public", tmp_path / version / "private", version)

    train, test = copied_contents(tmp_path / "v1/public")
    assert train & test
    train, test = copied_contents(tmp_path / "v2/public")
    assert test
    assert not train & test


def test_without_copies_v2_splits_as_v1(prepared: Callable[..., Any]) -> None:
    v1, v2 = (prepared(ID, version=version) for version in ("v1", "v2"))

    for name in ("train.csv", "test.csv", "sample_submission.csv"):
        assert (v1.public / name).read_bytes() == (v2.public / name).read_bytes()


@pytest.mark.parametrize("name", ["quirk_unknown_label", "quirk_negative_labels"])
def test_unknown_grades_are_weighed_by_rank_in_v1_and_rejected_in_v2(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "UnknownLabels"


def test_a_grade_that_nobody_has_still_lies_between_the_others_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    scores = []
    for version in ("v1", "v2"):
        made = prepared(ID, version=version)
        private = tmp_path / version
        private.mkdir()
        truth = pd.read_csv(made.private / "test.csv")
        gap = truth.assign(diagnosis=[(0, 1, 4)[row % 3] for row in range(len(truth))])
        gap.to_csv(private / "test.csv", index=False)
        said = gap.assign(diagnosis=[(0, 4, 4)[row % 3] for row in range(len(truth))])
        scores.append(type(made)(ID, 0, version, made.raw, made.public, private).grade(said, tmp_path / "s.csv").score)

    assert scores[0] > scores[1]
