"""invasive-species-monitoring: v2's archives hold the pictures, and its sample can be read without unpacking."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import py7zr
import pytest

import preparers

ID = "invasive-species-monitoring"


def members(archive: Path) -> list[str]:
    with py7zr.SevenZipFile(archive) as packed:
        return sorted(packed.getnames())


def test_pictures_are_given_in_v2_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    test_names = pd.read_csv(v2.private / "answers.csv")["name"]
    train_names = pd.read_csv(v2.public / "train_labels.csv.zip")["name"]

    assert members(v1.public / "train.7z") == members(v1.public / "test.7z") == []
    assert members(v2.public / "train.7z") == sorted(f"train/{name}.jpg" for name in train_names)
    assert members(v2.public / "test.7z") == sorted(f"test/{name}.jpg" for name in test_names)


def test_a_test_picture_is_the_raw_one_of_its_name(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v2 = prepared(ID, version="v2")
    for archive in (v2.public / "test.7z", v2.raw / "train.7z"):
        with py7zr.SevenZipFile(archive) as packed:
            packed.extractall(tmp_path)

    for name in pd.read_csv(v2.private / "answers.csv")["name"]:
        assert (tmp_path / f"test/{name}.jpg").read_bytes() == (tmp_path / f"train/{name}.jpg").read_bytes()


def test_a_plain_sample_is_public_in_v2_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert not (v1.public / "sample_submission.csv").exists()
    private = v2.private / "sample_submission.csv"
    assert (v2.public / "sample_submission.csv").read_bytes() == private.read_bytes()


def test_a_missing_picture_fails_in_v1_too(prepared: Callable[..., Any], tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "train_labels.csv.zip").hardlink_to(prepared(ID).raw / "train_labels.csv.zip")
    with py7zr.SevenZipFile(raw / "train.7z", "w") as packed:
        packed.writestr("x", "train/0.jpg")

    with pytest.raises(preparers.PreparationError, match=r"train\.7z lacks"):
        preparers.prepare(ID, raw, tmp_path / "public", tmp_path / "private")
