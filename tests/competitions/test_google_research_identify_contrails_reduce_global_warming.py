"""google-research-identify-contrails: v2 rejects odd masks, and its sample has the two columns asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

ID = "google-research-identify-contrails-reduce-global-warming"


@pytest.mark.parametrize(
    "name",
    [
        "quirk_one_number_is_empty",
        "quirk_three_numbers",
        "quirk_run_past_the_end",
        "quirk_start_past_the_end",
    ],
)
def test_odd_counts_and_runs_beyond_the_picture_are_rejected_in_v2_only(
    name: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    assert v1.grade(v1.submissions()[name], tmp_path / "s.csv").valid
    assert v2.grade(v1.submissions()[name], tmp_path / "s.csv").rejection["reason"] == "Malformed"


def test_the_sample_has_only_the_columns_asked_for_in_v2_and_is_valid_in_both(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    for version, columns in (("v1", ["height", "width"]), ("v2", [])):
        made = prepared(ID, version=version)
        sample = pd.read_csv(made.public / "sample_submission.csv")
        assert list(sample.columns) == ["record_id", "encoded_pixels", *columns]
        assert made.grade(sample, tmp_path / "s.csv").valid


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_an_empty_field_is_rejected_with_what_to_write_instead(
    version: str, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    made = prepared(ID, version=version)

    rejection = made.grade(made.submissions()["bad_empty_field"], tmp_path / "s.csv").rejection

    assert rejection["reason"] == "MissingValues"
    assert "'-'" in rejection["hint"]


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]

    assert v1.grade(good, tmp_path / "s.csv").score == v2.grade(good, tmp_path / "s.csv").score
