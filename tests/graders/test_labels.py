"""Which labels can be compared, and how they count: as scikit-learn decides."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.errors import InvalidSubmission
from graders.metrics import accuracy_score
from graders.toolkit import guesses, label_sets, must_compare

CELLS = ["0", "1", "2", "3.0", "1.5", "", "a", "b", "cat", "True", "inf", "-inf", "1e300", "9223372036854775808", "-1"]
TRUTHS = [[0, 1, 2, 1], [0, 1, 1, 0], [True, False, True, True], ["a", "b", "cat", "a"], ["a", "b", "b", "a"]]


def read(cells: list[str]) -> Any:
    """A column as pandas reads it."""
    text = "row,p\n" + "".join(f"{row},{cell}\n" for row, cell in enumerate(cells))
    return pd.read_csv(io.StringIO(text), float_precision="round_trip")["p"]


def verdict_of_scikit_learn(truth: Any, predicted: Any) -> float | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(reference.accuracy_score(truth, predicted))
    except (ValueError, TypeError):
        return None


def verdict(truth: Any, predicted: Any) -> float | None:
    try:
        must_compare(predicted, truth)
    except InvalidSubmission:
        return None
    return accuracy_score(truth, predicted)


@settings(deadline=None)
@given(truth=st.sampled_from(TRUTHS), cells=st.lists(st.sampled_from(CELLS), min_size=4, max_size=4))
def test_labels_are_taken_and_counted_as_scikit_learn_does(truth: list[Any], cells: list[str]) -> None:
    true, predicted = pd.Series(truth), read(cells)

    assert verdict(true, predicted) == verdict_of_scikit_learn(true, predicted)


def test_words_beside_numbers_are_wrong_unless_both_sides_have_two_labels_at_most() -> None:
    words = pd.Series(["a", "b", "a"])

    assert verdict(pd.Series([0, 1, 2]), words) == 0
    with pytest.raises(InvalidSubmission, match="numbers are due"):
        must_compare(words, pd.Series([0, 1, 1]))


def test_label_sets_are_words_and_an_empty_cell_has_none() -> None:
    said, true = label_sets(pd.Series(["rust  scab", None]), pd.Series(["rust", "scab"]))

    assert said == [["rust", "scab"], []]
    assert true == [["rust"], ["scab"]]


@pytest.mark.parametrize("truth", [pd.Series([1, 2]), pd.Series(["rust", np.nan])])
def test_nothing_is_graded_against_answers_of_numbers_or_blanks(truth: Any) -> None:
    with pytest.raises(InvalidSubmission, match="no score") as rejected:
        label_sets(pd.Series(["rust", "scab"]), truth)
    assert not rejected.value.found


def test_guesses_are_cut_at_single_blanks_or_at_any_white_space() -> None:
    column = pd.Series([" 7  8 9", "1 2 3 4"])

    assert list(guesses(column, most=3)) == [["", "7", ""], ["1", "2", "3"]]
    assert list(guesses(column, most=3, single_blanks=False)) == [["7", "8", "9"], ["1", "2", "3"]]


def test_guesses_are_what_pandas_made_of_the_cells() -> None:
    assert list(guesses(pd.Series([7, 8]), most=5)) == [["7"], ["8"]]
    assert list(guesses(pd.Series([7, np.nan]), most=5)) == [["7.0"], ["nan"]]
