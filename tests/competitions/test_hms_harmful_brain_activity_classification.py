"""hms-harmful-brain-activity: v2 splits by patient and tests one window of each record; nothing is won by gaps."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import preparers

ID = "hms-harmful-brain-activity-classification"
VOTES = ["seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote"]


def test_v1_has_patients_on_both_sides_and_v2_none(prepared: Callable[..., Any], tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    shutil.copytree(prepared(ID).raw, raw)
    windows = pd.read_csv(raw / "train.csv")
    windows.assign(patient_id=windows["spectrogram_id"] % 20).to_csv(raw / "train.csv", index=False)
    shared = {}
    for version in ("v1", "v2"):
        public = tmp_path / version / "public"
        preparers.prepare(ID, raw, public, tmp_path / version / "private", version)
        train, test = (set(pd.read_csv(public / f"{part}.csv")["patient_id"]) for part in ("train", "test"))
        shared[version] = train & test

    assert shared["v1"]
    assert not shared["v2"]


def test_v1_repeats_records_in_the_test_part_and_v2_has_the_first_window_of_each(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    assert pd.read_csv(v1.public / "test.csv")["eeg_id"].duplicated().any()

    answers = pd.read_csv(v2.private / "test.csv")
    assert not answers["eeg_id"].duplicated().any()
    assert (answers["eeg_sub_id"] == 0).all()
    shown = pd.read_csv(v2.public / "test.csv")
    assert (shown["spectrogram_label_offset_seconds"] == answers["spectrogram_label_offset_seconds"]).all()
    assert {path.stem for path in (v2.public / "test_eegs").iterdir()} == set(answers["eeg_id"].astype(str))


def with_gaps(made: Any) -> pd.DataFrame:
    """All on one vote, and nothing said about the others."""
    sample = pd.read_csv(made.public / "sample_submission.csv")
    return sample.assign(**dict.fromkeys(VOTES, np.nan)).assign(other_vote=1.0)


def test_gaps_beat_a_perfect_submission_in_v1_and_are_rejected_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    report = v1.grade(with_gaps(v1), tmp_path / "s.csv")
    assert report.score < 0
    assert "Votes are missing" in report.warnings[0]
    assert v2.grade(with_gaps(v2), tmp_path / "s.csv").rejection["reason"] == "MissingValues"


def test_whole_numbers_cost_infinitely_much_in_v1_and_are_clipped_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    scores = {}
    for made in (v1, v2):
        certain = (
            pd.read_csv(made.public / "sample_submission.csv").assign(**dict.fromkeys(VOTES, 0)).assign(gpd_vote=1)
        )
        decimals = certain.astype(dict.fromkeys(VOTES, float))
        scores[made.version] = [made.grade(frame, tmp_path / "s.csv").score for frame in (certain, decimals)]

    assert scores["v1"][0] is None
    assert scores["v1"][1] is not None
    assert scores["v2"][0] == scores["v2"][1] is not None


def test_only_the_set_of_ids_counts_in_v1_and_every_id_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    assert v1.report("quirk_moved_id").valid

    repeated = pd.read_csv(v2.public / "sample_submission.csv")
    repeated.loc[0, "eeg_id"] = repeated.loc[1, "eeg_id"]
    assert v2.grade(repeated, tmp_path / "s.csv").rejection["reason"] == "RepeatedIds"
