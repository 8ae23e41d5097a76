"""chaii: v2 reads answers as they stand, so that NA is a word and a column of numbers is text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kit
import pandas as pd

import graders

ID = "chaii-hindi-and-tamil-question-answering"


def test_a_column_of_numbers_is_rejected_in_v1_and_scored_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    numbers = v1.submissions()["bad_all_numbers"]
    right = pd.read_csv(v1.private / "test.csv", dtype=str)["PredictionString"].eq("1947").mean()

    assert v1.grade(numbers, tmp_path / "s.csv").rejection["reason"] == "NotText"
    assert v2.grade(numbers, tmp_path / "s.csv").score >= round(right, 5)


def test_the_word_na_is_an_empty_answer_in_v1_and_a_word_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    truth = pd.read_csv(prepared(ID).private / "test.csv", dtype=str)
    is_first = truth.index == 0
    answers = truth.assign(PredictionString=truth["PredictionString"].where(~is_first, "NA"))
    path = kit.write_submission(answers, tmp_path / "test.csv")

    assert graders.grade(ID, path, tmp_path, "v1").score == round(1 - 1 / len(truth), 5)
    assert graders.grade(ID, path, tmp_path, "v2").score == 1
