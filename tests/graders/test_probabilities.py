"""Submissions of probabilities: what is taken, and what is refused with which reason."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import catalog
from graders import InvalidSubmission
from graders.toolkit import Answers, Entry, must_not_hold_text, pair_probabilities


@pytest.fixture
def private(tmp_path: Path) -> Answers:
    (tmp_path / "test.csv").write_text("id,has_cactus,is_tall\na,1,0\nb,0,1\nc,1,1\n")
    return Answers(tmp_path)


def entry(private: Answers, text: str) -> Entry:
    path = private.folder / "submission.csv"
    path.write_text(text)
    return Entry(catalog.load("aerial-cactus-identification"), "v1", path, private)


def test_values_come_in_the_answers_order(private: Answers) -> None:
    predicted, truth = pair_probabilities(entry(private, "id,has_cactus\nc,0.3\na,0.1\nb,1\n"), "has_cactus", on="id")

    assert predicted.tolist() == [0.1, 1, 0.3]
    assert truth.tolist() == [1, 0, 1]


def test_several_labels_come_as_tables(private: Answers) -> None:
    labels = ["is_tall", "has_cactus"]
    text = "id,note,has_cactus,is_tall\na,x,0.1,0\nb,y,0.2,1\nc,z,0.3,1\n"

    predicted, truth = pair_probabilities(entry(private, text), labels, on="id")

    assert predicted.to_numpy().tolist() == [[0, 0.1], [1, 0.2], [1, 0.3]]
    assert list(truth.columns) == labels


def test_of_the_answers_only_the_columns_that_are_asked_for_are_read(private: Answers) -> None:
    answers = entry(private, "").answers_of("has_cactus", "id")

    assert answers.to_dict("list") == {"id": ["a", "b", "c"], "has_cactus": [1, 0, 1]}


def test_true_and_false_are_one_and_zero(private: Answers) -> None:
    predicted, _ = pair_probabilities(entry(private, "id,has_cactus\na,True\nb,False\nc,True\n"), "has_cactus", on="id")

    assert predicted.astype(float).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("1.01", "OutOfRange"),
        ("-inf", "OutOfRange"),
        ("", "MissingValues"),
        ("many", "NotNumbers"),
        ("0_1", "NotNumbers"),
    ],
)
def test_what_is_no_probability_is_refused(private: Answers, cell: str, reason: str) -> None:
    with pytest.raises(InvalidSubmission) as refused:
        pair_probabilities(entry(private, f"id,has_cactus\na,0.5\nb,{cell}\nc,1\n"), "has_cactus", on="id")

    assert refused.value.reason == reason


def test_text_is_refused_where_blanks_and_booleans_are_not() -> None:
    must_not_hold_text(pd.Series([True, None, float("nan")], dtype=object))
    must_not_hold_text(pd.Series([0.5, float("nan")]))
    with pytest.raises(InvalidSubmission, match="1 of 2 rows of column 'p' hold text"):
        must_not_hold_text(pd.Series([0.5, "7"], name="p"))
