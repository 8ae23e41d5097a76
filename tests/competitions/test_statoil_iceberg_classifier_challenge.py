"""statoil-iceberg-classifier-challenge: v2 keeps scenes together, and objects without an angle out of the test part."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import py7zr
import pytest

import preparers

ID = "statoil-iceberg-classifier-challenge"


@pytest.fixture(scope="module")
def angles(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[Any], list[Any]]]:
    """Prepare 60 objects of 20 scenes, every tenth object without an angle: the angles of train and of test."""
    folder = tmp_path_factory.mktemp("icebergs")
    objects = [
        {"id": f"{k:08x}", "band_1": [0.5], "inc_angle": "na" if k % 10 == 0 else 30 + k % 20 / 8, "is_iceberg": k % 2}
        for k in range(60)
    ]
    (folder / "raw").mkdir()
    for name, content in (("train", objects), ("test", [{"id": "x", "inc_angle": 1.0, "band_1": []}])):
        with py7zr.SevenZipFile(folder / "raw" / f"{name}.json.7z", "w") as archive:
            archive.writestr(json.dumps(content), f"data/processed/{name}.json")

    def prepare(version: str) -> tuple[list[Any], list[Any]]:
        public = folder / version / "public"
        if not public.exists():
            preparers.prepare(ID, folder / "raw", public, folder / version / "private", version)
        train, test = (read(public / f"{part}.json.7z", folder / version / part) for part in ("train", "test"))
        assert sorted(row["id"] for row in [*train, *test]) == [row["id"] for row in objects]
        return [row["inc_angle"] for row in train], [row["inc_angle"] for row in test]

    return prepare


def read(archive: Path, folder: Path) -> Any:
    with py7zr.SevenZipFile(archive) as packed:
        packed.extractall(folder)
    return json.loads((folder / archive.stem).read_text())


def test_objects_of_one_angle_are_on_both_sides_in_v1_only(
    angles: Callable[[str], tuple[list[Any], list[Any]]],
) -> None:
    (train_1, test_1), (train_2, test_2) = angles("v1"), angles("v2")

    assert (set(train_1) & set(test_1)) - {"na"}
    assert not set(train_2) & set(test_2)


def test_objects_without_an_angle_are_test_cases_in_v1_only(
    angles: Callable[[str], tuple[list[Any], list[Any]]],
) -> None:
    assert "na" in angles("v1")[1]
    assert "na" not in angles("v2")[1]
    assert angles("v2")[0].count("na") == 6


def test_a_plain_sample_is_public_in_v2_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert not (v1.public / "sample_submission.csv").exists()
    private = v2.private / "sample_submission.csv"
    assert (v2.public / "sample_submission.csv").read_bytes() == private.read_bytes()
