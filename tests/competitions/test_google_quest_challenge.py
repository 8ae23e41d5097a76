"""google-quest-challenge: v2 splits by question, wants the right ids and numbers, and scores a constant column 0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import catalog

ID = "google-quest-challenge"
TARGETS = list(catalog.load(ID).data["classes"])


def shared_questions(made: Any) -> set[str]:
    train, test = (set(pd.read_csv(made.public / f"{part}.csv")["url"]) for part in ("train", "test"))
    return train & test


@pytest.mark.parametrize("seed", [0, 1])
def test_v1_has_questions_on_both_sides_and_v2_none(prepared: Callable[..., Any], seed: int) -> None:
    assert shared_questions(prepared(ID, seed))
    assert not shared_questions(prepared(ID, seed, version="v2"))


@pytest.mark.parametrize("seed", [0, 1])
def test_every_rating_varies_in_the_test_part_of_v2(prepared: Callable[..., Any], seed: int) -> None:
    answers = pd.read_csv(prepared(ID, seed, version="v2").private / "test.csv")

    assert (answers[TARGETS].nunique() > 1).all()


def test_other_ids_pass_in_v1_with_a_warning_and_are_rejected_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    for version in ("v1", "v2"):
        made = prepared(ID, version=version)
        report = made.grade(made.submissions()["quirk_other_ids"], tmp_path / "s.csv")

        assert report.valid == (version == "v1")
        if report.valid:
            assert "Ids are not those of the sample" in report.warnings[0]
        else:
            assert report.rejection["reason"] == "UnknownIds"


def test_a_constant_column_leaves_no_score_in_v1_and_counts_0_in_v2(
    prepared: Callable[..., Any], tmp_path: Path
) -> None:
    for version in ("v1", "v2"):
        made = prepared(ID, version=version)
        perfect = pd.read_csv(made.private / "test.csv", float_precision="round_trip")
        score = made.grade(perfect.assign(answer_helpful=0.5), tmp_path / "s.csv").score

        assert score == (None if version == "v1" else pytest.approx(29 / 30, abs=1e-5))


def test_blanks_and_words_are_rejected_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    for version in ("v1", "v2"):
        made = prepared(ID, version=version)
        good = made.submissions()["good_shuffled"]
        blank = good.assign(answer_helpful=good["answer_helpful"].where(good.index > 0))
        for submission, reason in ((made.submissions()["quirk_words_ranked"], "NotNumbers"), (blank, "MissingValues")):
            report = made.grade(submission, tmp_path / "s.csv")

            assert report.valid == (version == "v1")
            assert report.valid or report.rejection["reason"] == reason
