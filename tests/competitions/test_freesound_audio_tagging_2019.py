"""freesound-audio-tagging-2019: v2 finds columns by name; without the labels' archive preparation says what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import preparers

ID = "freesound-audio-tagging-2019"


def test_columns_in_another_order_are_rejected_in_v1_and_found_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]
    turned = good[good.columns[::-1]].assign(note="x")

    assert v1.grade(turned, tmp_path / "s.csv").rejection["reason"] == "UnexpectedColumns"
    assert v2.grade(turned, tmp_path / "s.csv").score == v1.grade(good, tmp_path / "s.csv").score


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_missing_archive_of_labels_is_told_with_its_address(
    prepared: Callable[..., Any], tmp_path: Path, version: str
) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(prepared(ID).raw, raw, ignore=shutil.ignore_patterns("FSDKaggle2019.meta*"))

    with pytest.raises(preparers.PreparationError, match=r"FSDKaggle2019\.meta\.zip is missing.*https://zenodo\.org"):
        preparers.prepare(ID, raw, tmp_path / "public", tmp_path / "private", version)


def test_an_archive_with_other_clips_is_refused(prepared: Callable[..., Any], tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(prepared(ID).raw, raw)
    lines = (raw / "sample_submission.csv").read_text().splitlines(keepends=True)
    (raw / "sample_submission.csv").write_text("".join(lines[:-1]))

    with pytest.raises(preparers.PreparationError, match="is it the archive of this contest"):
        preparers.prepare(ID, raw, tmp_path / "public", tmp_path / "private")
