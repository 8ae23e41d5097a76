"""uw-madison-gi-tract-image-segmentation: v2 matches by id, wants every row, and measures organs as they lie."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from graders.competitions.uw_madison_gi_tract_image_segmentation import Scan
from graders.toolkit import decode_runs

ID = "uw-madison-gi-tract-image-segmentation"


def test_rows_in_another_order_are_misread_in_v1_and_the_same_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good"]
    shuffled = good.sample(frac=1, random_state=0)

    assert not v1.grade(shuffled, tmp_path / "s.csv").valid
    assert v2.grade(shuffled, tmp_path / "s.csv").score == v2.grade(good, tmp_path / "s.csv").score


@pytest.mark.parametrize(
    "name", ["quirk_missing_last_rows", "quirk_extra_rows", "quirk_foreign_ids", "quirk_missing_fifth_of_rows"]
)
def test_missing_surplus_and_foreign_rows_are_scored_in_v1_with_a_warning_and_rejected_in_v2(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    submission = v1.submissions()[name]

    report = v1.grade(submission, tmp_path / "s.csv")
    assert report.valid
    assert report.suspect
    assert v2.grade(submission, tmp_path / "s.csv").rejection["reason"] in {"WrongRowCount", "UnknownIds"}


def test_leaving_out_the_hard_end_raises_the_score_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    perfect = v1.submissions()["perfect"]
    half = len(perfect) // 2
    wrong_end = perfect.assign(predicted=[*perfect["predicted"][:half], *["1 1"] * (len(perfect) - half)])

    whole, cut = (v1.grade(rows, tmp_path / "s.csv").score for rows in (wrong_end, wrong_end[:half]))
    assert whole < cut
    assert not v1.grade(perfect, tmp_path / "s.csv").suspect
    assert not v2.grade(wrong_end[:half], tmp_path / "s.csv").valid


def test_exchanged_organs_are_no_distance_apart_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    perfect = v1.submissions()["perfect"]
    exchanged = perfect.assign(predicted=perfect.groupby("id")["predicted"].transform(lambda three: np.roll(three, 1)))

    assert v1.grade(exchanged, tmp_path / "s.csv").score >= 0.6
    assert v2.grade(exchanged, tmp_path / "s.csv").score < 0.6


def test_pixels_lie_down_the_columns_in_v1_and_along_the_rows_in_v2() -> None:
    top_row = decode_runs("1 5", 5 * 3, strict=True)

    along = Scan([[top_row]], height=3, width=5, along_rows=True).body()
    down = Scan([[top_row]], height=3, width=5, along_rows=False).body()

    assert np.argwhere(along).tolist() == [[0, 0, column] for column in range(5)]
    assert np.argwhere(down).tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 2, 0]]


def test_each_version_lays_out_its_own_way(prepared: Callable[..., Any], tmp_path: Path) -> None:
    answers = pd.read_csv(prepared(ID).private / "test.csv")
    assert (answers["image_width"] != answers["image_height"]).any()
    noisy = prepared(ID).submissions()["noisy"]

    scores = {v: prepared(ID, version=v).grade(noisy, tmp_path / "s.csv").score for v in ("v1", "v2")}

    assert scores["v1"] != scores["v2"]


@pytest.mark.parametrize("name", ["quirk_one_number_is_empty", "quirk_three_numbers", "quirk_run_past_the_end"])
def test_odd_counts_and_runs_beyond_the_picture_are_rejected_in_v2_only(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.grade(v1.submissions()[name], tmp_path / "s.csv").valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "Malformed"
