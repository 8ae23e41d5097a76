"""ml2021spring-hw2: v2 holds back whole utterances, and rejects words and classes that do not exist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import preparers

ID = "ml2021spring-hw2"
FOLDER = "timit_11/timit_11"
LENGTHS = [30, 1, 12, 45, 20, 7, 33, 18, 25, 9]
"""Of the utterances, in frames."""


def windows(rng: np.random.Generator, length: int) -> npt.NDArray[np.float32]:
    """An utterance: each frame with five to its left and five to its right."""
    frames = rng.standard_normal((length + 10, 39)).astype("<f4")
    return np.stack([frames[start : start + 11].ravel() for start in range(length)])


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    folder = tmp_path / "raw" / FOLDER
    folder.mkdir(parents=True)
    np.save(folder / "train_11.npy", np.concatenate([windows(rng, length) for length in LENGTHS]))
    np.save(folder / "train_label_11.npy", rng.integers(0, 39, sum(LENGTHS)).astype("<U2"))
    np.save(folder / "test_11.npy", windows(rng, 70))
    return tmp_path / "raw"


def frames(path: Path) -> set[bytes]:
    return {frame.tobytes() for frame in np.load(path).reshape(-1, 39)}


def test_train_shares_frames_with_test_in_v1_and_none_in_v2(raw: Path, tmp_path: Path) -> None:
    shared = {}
    for version in ("v1", "v2"):
        public = tmp_path / version / "public"
        preparers.prepare(ID, raw, public, tmp_path / version / "private", version)
        train, test = (frames(public / FOLDER / f"{part}_11.npy") for part in ("train", "test"))
        assert test
        shared[version] = len(train & test) / len(test)

    assert shared["v1"] > 0.9
    assert shared["v2"] == 0


def test_v2_keeps_utterances_whole_and_in_raw_order(raw: Path, tmp_path: Path) -> None:
    preparers.prepare(ID, raw, tmp_path / "public", tmp_path / "private", "v2")
    everything = np.load(raw / FOLDER / "train_11.npy")
    place = {row.tobytes(): number for number, row in enumerate(everything)}
    utterance = np.repeat(np.arange(len(LENGTHS)), LENGTHS)

    parts = [
        [place[row.tobytes()] for row in np.load(tmp_path / "public" / FOLDER / f"{part}_11.npy")]
        for part in ("train", "test")
    ]

    assert all(part == sorted(part) for part in parts)
    assert sorted(parts[0] + parts[1]) == list(range(len(everything)))
    assert not set(utterance[parts[0]]) & set(utterance[parts[1]])


@pytest.mark.parametrize("name", ["quirk_text_labels", "quirk_class_out_of_range"])
def test_what_is_no_class_is_wrong_in_v1_and_rejected_in_v2(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).score == 0
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "UnknownLabels"
