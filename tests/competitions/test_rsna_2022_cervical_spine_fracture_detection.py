"""rsna-2022-cervical-spine: v2 holds back a tenth of the studies, and train studies keep boxes and segmentations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

ID = "rsna-2022-cervical-spine-fracture-detection"


def studies(made: Any) -> tuple[set[str], set[str]]:
    return tuple(set(pd.read_csv(made.public / f"{part}.csv")["StudyInstanceUID"]) for part in ("train", "test"))


def annotated(folder: Any) -> tuple[set[str], set[str]]:
    """Studies with boxes, and those with a segmentation."""
    boxes = pd.read_csv(folder / "train_bounding_boxes.csv")["StudyInstanceUID"]
    return set(boxes), {path.stem for path in (folder / "segmentations").glob("*.nii")}


@pytest.mark.parametrize("seed", [0, 1])
def test_v1_trains_on_a_tenth_and_v2_tests_on_the_same_tenth(prepared: Callable[..., Any], seed: int) -> None:
    (train1, test1), (train2, test2) = (studies(prepared(ID, seed, version=version)) for version in ("v1", "v2"))

    assert 8 * len(train1) < len(test1)
    assert train1 == test2
    assert test1 == train2


@pytest.mark.parametrize("seed", [0, 1])
def test_train_studies_keep_what_they_have_in_v2(prepared: Callable[..., Any], seed: int) -> None:
    v2 = prepared(ID, seed, version="v2")
    train, _ = studies(v2)

    for raw, kept in zip(annotated(v2.raw), annotated(v2.public), strict=True):
        assert kept == raw & train


def test_some_train_studies_lose_boxes_or_segmentations_in_v1(prepared: Callable[..., Any]) -> None:
    v1, lost = prepared(ID), 0
    for seed in (0, 1):
        v1 = prepared(ID, seed)
        train, _ = studies(v1)
        lost += sum(
            len((raw & train) - kept) for raw, kept in zip(annotated(v1.raw), annotated(v1.public), strict=True)
        )

    assert lost > 0
