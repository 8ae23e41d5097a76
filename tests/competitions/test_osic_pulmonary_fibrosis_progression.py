"""osic-pulmonary-fibrosis-progression: v2 wants every row, and its weeks tell nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

ID = "osic-pulmonary-fibrosis-progression"


def sample_of(made: Any) -> pd.DataFrame:
    return pd.read_csv(made.public / "sample_submission.csv")


def test_leaving_out_hard_rows_raises_the_score_in_v1_with_a_warning_and_is_rejected_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    for made, all_needed in ((v1, False), (v2, True)):
        truth = pd.read_csv(made.private / "test.csv")["FVC"]
        hard = (truth - 2000).abs().fillna(0) > 500
        whole = made.grade(sample_of(made), tmp_path / "s.csv")
        easy = made.grade(sample_of(made)[~hard], tmp_path / "s.csv")
        assert not whole.suspect
        if all_needed:
            assert easy.rejection["reason"] == "WrongRowCount"
        else:
            assert easy.score > whole.score
            assert easy.suspect


@pytest.mark.parametrize("column", ["FVC", "Confidence"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_values_are_rejected_in_v2_only(
    column: str, value: float, prepared: Callable[..., Any], tmp_path: Path
) -> None:
    for version, valid in (("v1", True), ("v2", False)):
        made = prepared(ID, version=version)
        gap = sample_of(made).astype({column: float})
        gap.loc[4, column] = value
        assert made.grade(gap, tmp_path / "s.csv").valid == valid


def test_a_scored_row_without_a_volume_has_no_score_in_v1(prepared: Callable[..., Any], tmp_path: Path) -> None:
    made = prepared(ID)
    report = made.grade(sample_of(made).assign(FVC=np.nan), tmp_path / "s.csv")
    assert report.valid
    assert report.score is None


def test_a_submission_without_scored_rows_has_no_score_in_v1(prepared: Callable[..., Any], tmp_path: Path) -> None:
    made = prepared(ID)
    report = made.grade(sample_of(made)[:0], tmp_path / "s.csv")
    assert not report.valid or report.score is None


def test_the_weeks_end_with_the_last_visit_in_v1_and_are_those_of_the_contest_in_v2(
    prepared: Callable[..., Any],
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    weeks, all_weeks = (
        sample_of(made)["Patient_Week"].str.rpartition("_")[2].astype(int).unique() for made in (v1, v2)
    )
    visits = pd.read_csv(v1.private / "test.csv").dropna(subset="FVC")["Weeks"]

    assert (min(weeks), max(weeks)) == (visits.min(), visits.max())
    assert sorted(all_weeks) == list(range(-12, 134))
    assert pd.read_csv(v2.private / "test.csv")["FVC"].notna().sum() == len(visits)


def test_an_honest_submission_scores_the_same_in_both(prepared: Callable[..., Any], tmp_path: Path) -> None:
    scores = [
        made.grade(sample_of(made).assign(FVC=2500, Confidence=200), tmp_path / "s.csv").score
        for made in (prepared(ID), prepared(ID, version="v2"))
    ]
    assert scores[0] == scores[1]
