"""detecting-insults-in-social-commentary: v2 has row numbers, and goes by them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import graders
import preparers

ID = "detecting-insults-in-social-commentary"


def test_v2_numbers_the_rows_of_test_and_sample(prepared: Callable[..., Any]) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")

    for name in ("test.csv", "sample_submission_null.csv"):
        first, second = pd.read_csv(v1.public / name), pd.read_csv(v2.public / name)
        assert second["Id"].tolist() == list(range(len(second)))
        assert second.drop(columns="Id").equals(first)


def test_a_text_that_a_tool_changed_rejects_in_v1_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v1, v2 = prepared(ID), prepared(ID, version="v2")
    good = v1.submissions()["good_shuffled"]
    numbered = v2.submissions()["good_shuffled"]

    changed = good.assign(Comment=good["Comment"].str.strip('"'))
    assert v1.grade(changed, tmp_path / "s.csv").rejection["reason"] == "UnknownIds"
    changed = numbered.assign(Comment=numbered["Comment"].str.strip('"'))
    assert v2.grade(changed, tmp_path / "s.csv").score == v1.grade(good, tmp_path / "s.csv").score


def test_rows_of_one_comment_are_told_apart_in_v2_only(prepared: Callable[..., Any], tmp_path: Path) -> None:
    """Two rows have the same comment and different labels; a perfect submission has them the other way round."""
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "train.csv").hardlink_to(prepared(ID).raw / "train.csv")
    solutions = pd.read_csv(prepared(ID).raw / "test_with_solutions.csv")
    second = solutions.index[solutions["Comment"].duplicated()][0]
    solutions.loc[[second - 1, second], "Insult"] = [0, 1]
    solutions.to_csv(raw / "test_with_solutions.csv", index=False)
    order = [*range(second - 1), second, second - 1, *range(second + 1, len(solutions))]

    scores = {}
    for version in ("v1", "v2"):
        private = tmp_path / version / "private"
        preparers.prepare(ID, raw, tmp_path / version / "public", private, version)
        pd.read_csv(private / "gold_submission.csv").iloc[order].to_csv(tmp_path / "s.csv", index=False)
        scores[version] = graders.grade(ID, tmp_path / "s.csv", private, version).score

    assert scores["v1"] < 1
    assert scores["v2"] == 1


def test_a_repeated_number_is_rejected_in_v2(prepared: Callable[..., Any], tmp_path: Path) -> None:
    v2 = prepared(ID, version="v2")
    sample = v2.submissions()["sample"].replace({"Id": {1: 0}})

    assert v2.grade(sample, tmp_path / "s.csv").rejection["reason"] == "RepeatedIds"
