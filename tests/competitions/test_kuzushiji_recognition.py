"""kuzushiji-recognition: v2 splits by book and keeps the contest's rules for points."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

ID = "kuzushiji-recognition"


def books(table: Path) -> set[str]:
    return set(pd.read_csv(table)["image_id"].str.extract(r"^([^_-]*)")[0])


def test_books_are_on_both_sides_in_v1_and_on_one_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert books(v1.public / "train.csv") & books(v1.private / "test.csv")
    assert not books(v2.public / "train.csv") & books(v2.private / "test.csv")


def test_v2_has_all_pages_with_their_pictures(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v2 = prepared(ID, version="v2")
    tables = [pd.read_csv(v2.public / "train.csv"), pd.read_csv(v2.private / "test.csv")]

    assert set(pd.concat(tables)["image_id"]) == set(pd.read_csv(v2.raw / "train.csv")["image_id"])
    for table, part in zip(tables, ("train", "test"), strict=True):
        with zipfile.ZipFile(v2.public / f"{part}_images.zip") as pictures:
            assert set(pictures.namelist()) == {f"{page}.jpg" for page in table["image_id"]}
    assert v2.grade(pd.read_csv(v2.public / "sample_submission.csv"), tmp_path / "s.csv").valid


def test_points_that_are_nowhere_are_rejected_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    for version, valid in (("v1", True), ("v2", False)):
        made = prepared(ID, version=version)
        gold = pd.read_csv(made.private / "gold_submission.csv")
        nowhere = gold.assign(labels=gold["labels"].fillna("U+306F 1 1") + " U+306F nan 3")
        assert made.grade(nowhere, tmp_path / "s.csv").valid == valid


def test_more_than_1200_points_on_a_page_are_rejected_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    for version, valid in (("v1", True), ("v2", False)):
        made = prepared(ID, version=version)
        sample = pd.read_csv(made.public / "sample_submission.csv")
        allowed, crowded = (sample.assign(labels=" ".join(["U+306F 1 1"] * count)) for count in (1200, 1201))
        assert made.grade(allowed, tmp_path / "s.csv").valid
        assert made.grade(crowded, tmp_path / "s.csv").valid == valid
