"""Which row belongs to which: rows in any order, ids that differ, repeat or are missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.toolkit import InvalidSubmission, Reason, by_position, join, line_up, must_be_within, must_not_repeat, pair

ANSWERS = pd.DataFrame({"id": ["a", "b", "c", "d"], "y": [1, 2, 3, 4]})


def submission(ids: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"id": ids, "p": [f"for {i}" for i in ids]})


def rejection(match: Callable[[], object]) -> InvalidSubmission:
    with pytest.raises(InvalidSubmission) as rejected:
        match()
    return rejected.value


@given(st.permutations(["a", "b", "c", "d"]))
def test_pair_finds_each_row_in_whatever_order(order: list[str]) -> None:
    predicted, truth = pair(submission(order), ANSWERS, on="id")

    assert predicted["p"].tolist() == [f"for {i}" for i in truth["id"]]


def test_whole_floats_are_the_ids_they_stand_for() -> None:
    answers = pd.DataFrame({"id": [3, 1, 2]})

    predicted, truth = pair(submission([1.0, 2.0, 3.0]), answers, on="id")

    assert predicted["id"].tolist() == truth["id"].tolist()


def test_several_columns_can_be_the_key() -> None:
    answers = pd.DataFrame({"id": ["a", "a", "b"], "k": [1, 2, 1]})
    shuffled = answers.iloc[[2, 0, 1]].assign(p=["b1", "a1", "a2"])

    predicted, _ = pair(shuffled, answers, on=["id", "k"])

    assert predicted["p"].tolist() == ["a1", "a2", "b1"]


def test_repeated_ids_of_the_answers_are_met_in_their_order() -> None:
    answers = pd.DataFrame({"id": [7, 5, 7, 5]})
    given_rows = pd.DataFrame({"id": [5, 7, 7, 5], "p": ["first 5", "first 7", "second 7", "second 5"]})

    predicted, _ = pair(given_rows, answers, on="id")

    assert predicted["p"].tolist() == ["first 7", "first 5", "second 7", "second 5"]


@pytest.mark.parametrize(
    ("ids", "reason"),
    [
        pytest.param(["a", "b", "c"], Reason.WRONG_ROW_COUNT, id="a row is missing"),
        pytest.param(["a", "b", "c", "d", "d"], Reason.WRONG_ROW_COUNT, id="a row too many"),
        pytest.param(["a", "b", "c", "x"], Reason.UNKNOWN_IDS, id="an unknown id"),
        pytest.param(["a", "b", "c", None], Reason.UNKNOWN_IDS, id="a missing id"),
        pytest.param(["a", "b", "c", "c"], Reason.REPEATED_IDS, id="an id twice"),
        pytest.param([1, 2, 3, 4], Reason.UNKNOWN_IDS, id="numbers for text"),
    ],
)
def test_pair_rejects_ids_that_are_not_the_answers(ids: list[Any], reason: Reason) -> None:
    assert rejection(lambda: pair(submission(ids), ANSWERS, on="id")).reason == reason


def test_a_rejection_quotes_the_submission_and_says_what_to_do() -> None:
    told = str(rejection(lambda: pair(submission(["a", "b.png", "c", "d.png"]), ANSWERS, on="id")))

    assert told.splitlines() == [
        "Submission rejected: 2 of 4 ids are not in this competition, or stand there too often.",
        "  found     'b.png' (row 2 of column 'id'), 'd.png' (row 4 of column 'id')",
        "  expected  the ids of the sample submission",
        "  try       keep ids exactly as the sample submission writes them, file ending included",
    ]


def test_pair_rejects_an_id_that_stands_more_often_than_in_the_answers() -> None:
    answers = pd.DataFrame({"id": [7, 5, 7]})

    assert rejection(lambda: pair(submission([7, 5, 5]), answers, on="id")).reason == Reason.UNKNOWN_IDS


def test_join_lets_every_row_of_a_repeated_id_count() -> None:
    predicted, truth = join(submission(["b", "a", "b", "c", "d"]), ANSWERS, on="id")

    assert predicted["id"].tolist() == truth["id"].tolist() == ["b", "a", "b", "c", "d"]


def test_join_rejects_missing_and_unknown_ids() -> None:
    missing = rejection(lambda: join(submission(["a", "a", "b", "c"]), ANSWERS, on="id"))

    assert missing.reason == Reason.MISSING_IDS
    assert missing.expected == "a row for 'd'"
    assert rejection(lambda: join(submission(["a", "b", "c", "d", "x"]), ANSWERS, on="id")).reason == "UnknownIds"


def test_line_up_sorts_both_sides_and_compares_no_key() -> None:
    predicted, truth = line_up(submission(["z", "y", "x", "w"]), ANSWERS.iloc[::-1], by="id")

    assert predicted["id"].tolist() == ["w", "x", "y", "z"]
    assert truth["id"].tolist() == ["a", "b", "c", "d"]


def test_line_up_pairs_repeated_keys_as_sorting_both_sides_would() -> None:
    keys = np.random.default_rng(0).integers(0, 9, 500).astype(str)
    ours = pd.DataFrame({"id": keys, "row": range(500)})

    predicted, truth = line_up(ours.copy(), ours, by="id")

    as_sorted = zip(ours.sort_values("id")["row"], ours.copy().sort_values("id")["row"], strict=True)
    assert sorted(zip(predicted["row"], truth["row"], strict=True)) == sorted(as_sorted)


def test_line_up_rejects_keys_that_can_not_be_sorted() -> None:
    mixed = pd.DataFrame({"id": np.array(["a", 1, "b", 2], dtype=object)})

    assert rejection(lambda: line_up(mixed, ANSWERS, by="id")).reason == Reason.UNKNOWN_IDS


def test_by_position_wants_as_many_rows() -> None:
    assert by_position(submission(["x"] * 4), ANSWERS)[1] is ANSWERS
    assert rejection(lambda: by_position(submission(["x"]), ANSWERS)).problem == (
        "The submission has 1 rows; it must have 4."
    )


def test_repeats_are_found_over_several_columns() -> None:
    frame = pd.DataFrame({"id": ["a", "a", "a"], "k": [1, 2, 1]})

    must_not_repeat(frame.iloc[:2], on=["id", "k"])
    assert rejection(lambda: must_not_repeat(frame, on=["id", "k"])).reason == Reason.REPEATED_IDS


def test_a_join_that_need_not_be_complete_leaves_out_answers_but_still_knows_its_ids() -> None:
    predicted, truth = join(submission(["c", "a", "c"]), ANSWERS, on="id", complete=False)
    assert truth["y"].tolist() == [3, 1, 3]
    assert predicted["id"].tolist() == truth["id"].tolist()

    refused = rejection(lambda: join(submission(["c", "x"]), ANSWERS, on="id", complete=False))
    assert refused.reason == Reason.UNKNOWN_IDS


def test_messages_name_rows_as_they_stand_in_the_file_not_as_they_were_matched() -> None:
    submission = pd.DataFrame({"id": ["c", "b", "a"], "p": [0.1, 0.2, 7.0]})
    predicted, _ = pair(submission, pd.DataFrame({"id": ["a", "b", "c"]}), on="id")

    with pytest.raises(InvalidSubmission) as refused:
        must_be_within(predicted["p"], 0, 1)

    assert refused.value.found == ("7.0 (row 3 of column 'p')",)
