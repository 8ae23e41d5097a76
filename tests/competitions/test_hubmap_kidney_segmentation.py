"""hubmap-kidney-segmentation: v2 withholds the outlines of test objects and rejects odd masks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from graders import GraderError

ID = "hubmap-kidney-segmentation"


def files_of_test(made: Any) -> set[str]:
    return {path.name for path in (made.public / "test").iterdir()}


def test_the_outlines_of_test_objects_are_public_in_v1_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    outlines = {f"{name}.json" for name in pd.read_csv(v1.private / "test.csv")["id"]}

    assert outlines <= files_of_test(v1)
    assert files_of_test(v2) == files_of_test(v1) - outlines


@pytest.mark.parametrize("name", ["quirk_lone_start", "quirk_three_numbers", "quirk_beyond_the_image"])
def test_odd_counts_and_runs_beyond_the_picture_are_rejected_in_v2_only(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.grade(v1.submissions()[name], tmp_path / "s.csv").valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "Malformed"


def test_a_missing_answer_is_an_empty_mask_in_v2_and_a_fault_of_ours_in_v1(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = prepared(ID)
    private = shutil.copytree(made.private, tmp_path / "private")
    answers = pd.read_csv(private / "test.csv")
    answers.loc[0, "encoding"] = None
    answers.to_csv(private / "test.csv", index=False)
    nothing = pd.read_csv(made.public / "sample_submission.csv")

    assert replace(made, private=private, version="v2").grade(nothing, tmp_path / "s.csv").score >= 0.33333
    with pytest.raises(GraderError):
        replace(made, private=private).grade(nothing, tmp_path / "s.csv")
