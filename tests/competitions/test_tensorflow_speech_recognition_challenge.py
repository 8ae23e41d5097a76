"""tensorflow-speech-recognition-challenge: v2's answers are the twelve labels, and no speaker is on both sides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import py7zr
import pytest

import catalog

ID = "tensorflow-speech-recognition-challenge"
LABELS = set(catalog.load(ID).data["classes"])


def speakers(made: Any, folder: Path) -> tuple[set[str], set[str]]:
    """Of train and test clips, by the bytes of the clips."""
    with py7zr.SevenZipFile(made.raw / "train.7z") as archive:
        archive.extractall(folder)
    speaker_of = {path.read_bytes(): path.name.partition("_nohash_")[0] for path in folder.rglob("*_nohash_*.wav")}
    train, test = (
        {speaker_of.get(path.read_bytes(), "noise") for path in (made.public / part).rglob("*.wav")}
        for part in ("train", "test")
    )
    return train, test


def test_answers_are_folders_in_v1_and_labels_of_the_task_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = (set(pd.read_csv(prepared(ID, version=v).private / "test.csv")["label"]) for v in ("v1", "v2"))

    assert v1 - LABELS
    assert "unknown" not in v1
    assert v2 <= LABELS
    assert "unknown" in v2


def test_speakers_are_on_both_sides_in_v1_and_on_one_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    train, test = speakers(prepared(ID), tmp_path / "v1")
    assert train & test

    train, test = speakers(prepared(ID, version="v2"), tmp_path / "v2")
    assert test
    assert not train & test
    assert "noise" in train


def test_numbers_of_clips_do_not_tell_their_labels_in_v2(prepared: Callable[..., Any]) -> None:
    labels = pd.read_csv(prepared(ID, version="v2").private / "test.csv")["label"]

    assert labels.tolist() != sorted(labels)
    assert (labels != labels.shift()).mean() > 0.3


@pytest.mark.parametrize("name", ["upper_case", "quirk_numbers"])
def test_other_labels_are_wrong_in_v1_and_rejected_in_v2(name: str, prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report(name).score == 0
    assert v2.report(name).rejection["reason"] == "UnknownLabels"


def test_following_the_task_costs_in_v1_and_wins_in_v2(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.report("twelve_labels").score < 1
    assert v2.report("twelve_labels").score == 1
