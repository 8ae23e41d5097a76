"""siim-isic-melanoma-classification: v2's test records tell no label, and copies of test pictures are not in train."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kit
import pandas as pd
import pytest

import preparers
from preparers.toolkit.tfrecords import first_text, read_features, read_records

ID = "siim-isic-melanoma-classification"


def records(public: Path, part: str) -> Iterator[dict[str, bytes]]:
    for path in sorted((public / "tfrecords").glob(f"{part}*.tfrec")):
        with path.open("rb") as file:
            yield from map(read_features, read_records(file))


def test_test_records_tell_the_label_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert all("target" in features for features in records(v1.public, "test"))
    without = [{n: f for n, f in features.items() if n != "target"} for features in records(v1.public, "test")]
    assert list(records(v2.public, "test")) == without


def test_rewritten_records_have_right_checksums(prepared: Callable[..., Any]) -> None:
    path = next((prepared(ID, version="v2").public / "tfrecords").glob("test00*"))
    with path.open("rb") as file:
        content = list(read_records(file))

    assert kit.load(ID).tfrecord(content) == path.read_bytes()


def test_train_records_are_the_same_in_both(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    for path in (v1.public / "tfrecords").glob("train*"):
        assert path.read_bytes() == (v2.public / "tfrecords" / path.name).read_bytes()


@pytest.fixture
def with_copy(prepared: Callable[..., Any], tmp_path: Path) -> tuple[Path, str]:
    """Raw files in which a train picture is a copy of a test picture; the folder and the copy's name."""
    made, raw = prepared(ID), tmp_path / "raw"
    shutil.copytree(made.raw, raw)
    original = pd.read_csv(made.private / "test.csv")["image_name"][0]
    copy = first_text(next(records(made.public, "train"))["image_name"])
    shutil.copy(raw / f"jpeg/train/{original}.jpg", raw / f"jpeg/train/{copy}.jpg")
    return raw, copy


@pytest.mark.parametrize(("version", "is_there"), [("v1", True), ("v2", False)])
def test_a_copy_of_a_test_picture_is_in_train_in_v1_only(
    version: str, is_there: bool, with_copy: tuple[Path, str], tmp_path: Path
) -> None:
    raw, copy = with_copy
    public = tmp_path / "public"

    preparers.prepare(ID, raw, public, tmp_path / "private", version)

    train = pd.read_csv(public / "train.csv")["image_name"]
    packed = [first_text(features["image_name"]) for features in records(public, "train")]
    assert (copy in set(train)) == is_there
    assert (public / f"train/{copy}.dcm").exists() == is_there
    assert (public / f"jpeg/train/{copy}.jpg").exists() == is_there
    assert (copy in packed) == is_there
    everything = pd.read_csv(raw / "train.csv")["image_name"]
    assert len(train) + len(list((public / "test").iterdir())) == len(everything) - (not is_there)


def test_patients_on_both_sides_are_told_in_v2(
    prepared: Callable[..., Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = prepared(ID)
    with caplog.at_level(logging.INFO, logger="mlectl.prepare"):
        preparers.prepare(ID, made.raw, tmp_path / "public", tmp_path / "private", "v2")

    train, test = (set(pd.read_csv(made.public / f"{part}.csv")["patient_id"]) for part in ("train", "test"))
    assert f"{len(train & test)} of {len(test)} patients" in caplog.text
