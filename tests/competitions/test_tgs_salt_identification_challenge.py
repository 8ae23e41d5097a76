"""tgs-salt-identification-challenge: v2 gives all depths, and neither empty masks nor odd ones earn anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ID = "tgs-salt-identification-challenge"


def test_depths_of_test_pictures_are_given_in_v2_only(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    test_ids = set(pd.read_csv(v1.private / "test.csv")["id"])

    assert not set(pd.read_csv(v1.public / "depths.csv")["id"]) & test_ids
    train_ids = set(pd.read_csv(v1.public / "train.csv")["id"])
    assert set(pd.read_csv(v2.public / "depths.csv")["id"]) == train_ids | test_ids


def test_predicting_nothing_earns_points_for_pictures_full_of_salt_in_v1_only(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    nothing = v1.submissions()["quirk_all_empty_counts_as_all_salt"]
    share_without_salt = pd.read_csv(v1.private / "test.csv")["rle_mask"].isna().mean()

    assert v1.grade(nothing, tmp_path / "s.csv").score > share_without_salt
    assert v2.grade(nothing, tmp_path / "s.csv").score == pytest.approx(share_without_salt, abs=1e-5)


@pytest.mark.parametrize(
    "name",
    [
        "quirk_run_past_the_end",
        "quirk_start_past_the_end",
        "quirk_lone_number_is_empty",
        "quirk_three_numbers_share_the_length",
    ],
)
def test_odd_counts_and_runs_past_the_end_are_rejected_in_v2_only(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.grade(v1.submissions()[name], tmp_path / "s.csv").valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "Malformed"


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.grade(good, tmp_path / "s.csv").score == v2.grade(good, tmp_path / "s.csv").score
