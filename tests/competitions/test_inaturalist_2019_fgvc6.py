"""inaturalist-2019-fgvc6: v2 gives the validation pictures, plain tar archives and a sample that varies."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

ID = "inaturalist-2019-fgvc6"


def named(path: Path) -> set[str]:
    return {image["file_name"] for image in json.loads(path.read_text())["images"]}


def members(path: Path) -> set[str]:
    with tarfile.open(path) as archive:
        return set(archive.getnames())


def test_validation_pictures_are_missing_in_v1_and_given_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    validation = named(v1.public / "val2019.json")

    assert validation
    assert not {name.partition("/")[2] for name in validation} & members(v1.public / "train_val2019.tar.gz")
    assert validation < members(v2.public / "train_val2019.tar")


def test_members_are_called_as_the_lists_call_them_in_v2_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    listed = named(v1.public / "test2019.json")
    assert not listed & members(v1.public / "test2019.tar.gz")
    assert listed == members(v2.public / "test2019.tar")
    both = named(v2.public / "train2019.json") | named(v2.public / "val2019.json")
    assert members(v2.public / "train_val2019.tar") == both


def test_the_sample_predicts_one_class_in_v1_and_many_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = (
        pd.read_csv(prepared(ID, version=version).public / "kaggle_sample_submission.csv") for version in ("v1", "v2")
    )

    assert v1["predicted"].unique().tolist() == [654]
    assert v2["predicted"].nunique() > len(v2) / 2
    assert v2["predicted"].between(0, 1009).all()
    assert v1["id"].equals(v2["id"])
