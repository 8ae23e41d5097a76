"""What the words of refusal accept and reject, value by value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from graders.toolkit import (
    InvalidSubmission,
    cut_to_whole,
    must_be_finite,
    must_be_labels,
    must_be_numbers,
    must_be_one_of,
    must_be_text,
    must_be_whole,
    must_be_within,
    must_have,
    must_have_width,
    must_not_be_missing,
    must_parse,
    must_sum_to_one,
    numbers,
    words,
)


def column(*values: Any, dtype: Any = None) -> Any:
    return pd.Series(list(values), name="p", dtype=dtype)


def within(data: Any) -> None:
    must_be_within(data, 0, 1)


def within_or_blank(data: Any) -> None:
    must_be_within(data, 0, 1, blanks="allow")


def one_of(data: Any) -> None:
    must_be_one_of(data, ["cat", "dog"])


ACCEPTED = [
    (must_be_numbers, column(1, 2.5, np.nan)),
    (must_be_numbers, column(True, False)),
    (must_be_numbers, column("1", " 2.5 ", True, None)),
    (must_be_finite, column(-1e308, 3)),
    (must_be_finite, column(True, "7", dtype=object)),
    (within, column(0, 1, 0.5)),
    (within, column(True, False)),
    (within_or_blank, column(0, np.nan)),
    (must_be_whole, column(3.0, -2.0)),
    (must_be_whole, column(2**62)),
    (must_be_whole, column(2**64 - 1)),
    (must_be_labels, column(1, 2)),
    (must_be_labels, column(1.0, 99.0)),
    (must_be_labels, column("a", "1")),
    (must_be_labels, column(True, False)),
    (one_of, column("cat", "dog", "cat")),
    (must_be_text, column("a", np.nan, "")),
    (must_be_text, column(np.nan, np.nan)),
    (must_not_be_missing, column("", 0, dtype=object)),
]
REJECTED = [
    (must_be_numbers, column("1", "many"), "NotNumbers", "'many' (row 2 of column 'p')"),
    (must_be_finite, column(1, np.nan), "MissingValues", "nothing (row 2 of column 'p')"),
    (must_be_finite, column("1", None), "MissingValues", "nothing (row 2 of column 'p')"),
    (must_be_finite, column(-np.inf, 1), "NotFinite", "-inf (row 1 of column 'p')"),
    (must_be_finite, column("1", "x"), "NotNumbers", "'x' (row 2 of column 'p')"),
    (within, column(0, 1.0000001), "OutOfRange", "1.0000001 (row 2 of column 'p')"),
    (within, column(-0.1, 1), "OutOfRange", "-0.1 (row 1 of column 'p')"),
    (within, column(0.5, np.nan), "MissingValues", "nothing (row 2 of column 'p')"),
    (within_or_blank, column(np.nan, np.inf), "OutOfRange", "inf (row 2 of column 'p')"),
    (must_be_whole, column(1.0, 0.5), "NotWhole", "0.5 (row 2 of column 'p')"),
    (must_be_whole, column(1e300), "NotWhole", "1e+300 (row 1 of column 'p')"),
    (must_be_labels, column(1.0, 0.5), "NotWhole", "0.5 (row 2 of column 'p')"),
    (must_be_labels, column(1.0, np.nan), "MissingValues", "nothing (row 2 of column 'p')"),
    (must_be_labels, column("a", np.nan), "MissingValues", "nothing (row 2 of column 'p')"),
    (must_be_labels, column("a", 1), "NotText", "1 (row 2 of column 'p')"),
    (one_of, column("cat", "Dog"), "UnknownLabels", "'Dog' (row 2 of column 'p')"),
    (one_of, column("cat", np.nan), "UnknownLabels", "nothing (row 2 of column 'p')"),
    (must_be_text, column(1, 2), "NotText", "1 (row 1 of column 'p')"),
    (must_be_text, column(np.nan, 5.0), "NotText", "5.0 (row 2 of column 'p')"),
    (must_be_text, column("a", True), "NotText", "True (row 2 of column 'p')"),
    (must_not_be_missing, column("a", None), "MissingValues", "None (row 2 of column 'p')"),
]


@pytest.mark.parametrize(("must", "values"), ACCEPTED)
def test_what_keeps_the_rule_passes_silently(must: Callable[[Any], None], values: Any) -> None:
    must(values)


@pytest.mark.parametrize(("must", "values", "reason", "found"), REJECTED)
def test_what_breaks_the_rule_is_quoted(must: Callable[[Any], None], values: Any, reason: str, found: str) -> None:
    with pytest.raises(InvalidSubmission) as rejected:
        must(values)

    assert rejected.value.reason == reason
    assert rejected.value.found[0] == found


def test_a_strict_number_is_never_spelled_as_text() -> None:
    must_be_numbers(column(True, False), strict=True)
    with pytest.raises(InvalidSubmission, match="not a column of numbers"):
        must_be_numbers(column("1", "2"), strict=True)


def test_a_rule_over_several_columns_names_the_one_that_breaks_it() -> None:
    with pytest.raises(InvalidSubmission, match="1 of 2 rows of column 'b' are not between 0 and 1"):
        must_be_within(pd.DataFrame({"a": [0, 1], "b": [0, 2]}), 0, 1)


@pytest.mark.parametrize(
    "rule, value",
    [(must_not_be_missing, np.nan), (must_be_finite, np.nan), (must_be_finite, np.inf), (within, np.nan), (within, -1)],
)
def test_one_wrong_value_among_several_columns_of_numbers_is_found(rule: Callable[[Any], None], value: float) -> None:
    rule(pd.DataFrame({"a": [0, 1], "b": [True, False], "c": [0.5, 0.25]}))
    with pytest.raises(InvalidSubmission, match="1 of 2 rows of column 'c'"):
        rule(pd.DataFrame({"a": [0, 1], "b": [True, False], "c": [0.5, value]}))


@pytest.mark.parametrize("off", [0, 1e-5, -1.05e-5, 1.1e-5 - 1e-12])
def test_sums_may_be_off_as_far_as_numpy_isclose_lets_them(off: float) -> None:
    assert np.isclose(1 + off, 1, atol=1e-6)
    must_sum_to_one(pd.DataFrame({"a": [0.25], "b": [0.75 + off]}))


@pytest.mark.parametrize("off", [1.2e-5, -1.2e-5, 0.5])
def test_sums_that_are_further_off_are_rejected(off: float) -> None:
    assert not np.isclose(1 + off, 1, atol=1e-6)
    with pytest.raises(InvalidSubmission, match="1 of 1 rows do not sum to 1 over 2 columns"):
        must_sum_to_one(pd.DataFrame({"a": [0.25], "b": [0.75 + off]}))


def test_infinite_and_missing_parts_of_a_sum() -> None:
    must_sum_to_one(pd.DataFrame({"a": [np.nan], "b": [1.0]}))
    with pytest.raises(InvalidSubmission):
        must_sum_to_one(pd.DataFrame({"a": [np.inf], "b": [1.0]}))


def test_numbers_are_cut_as_python_cuts_them() -> None:
    assert cut_to_whole(column(3.9, -0.5, True)).tolist() == [3, 0, 1]
    assert cut_to_whole(column("12", 7.9, dtype=object)).tolist() == [12, 7]
    for bad in (column(1.0, np.nan), column(np.inf), column(1e300), column("3.9"), column("x"), column(str(10**30))):
        with pytest.raises(InvalidSubmission) as rejected:
            cut_to_whole(bad)
        assert rejected.value.reason == "NotWhole"


def test_numbers_beyond_64_bits_with_a_sign_are_cut_only_where_all_are() -> None:
    assert cut_to_whole(column(-(2**63), 2**63 - 1)).tolist() == [-(2**63), 2**63 - 1]
    assert (cut_to_whole(column(2**63, 2**64 - 1, dtype=np.uint64)) < 0).all()
    assert (cut_to_whole(column(1e19)) < 0).all()
    for bad in (column(1, 2**63, dtype=np.uint64), column(1e19, 1.0), column(2.0**64)):
        with pytest.raises(InvalidSubmission):
            cut_to_whole(bad)


def test_numbers_are_what_numpy_takes_for_them() -> None:
    assert numbers(column("1e3", True, None)).tolist()[:2] == [1000.0, 1.0]


def test_cells_are_parsed_or_rejected_with_the_parser_s_words() -> None:
    assert must_parse(column("1", "2"), int, expected="a number") == [1, 2]
    with pytest.raises(InvalidSubmission, match="2 of 3 rows of column 'p' can't be read: invalid literal") as rejected:
        must_parse(column("1", "x", "y"), int, expected="a number")
    assert rejected.value.found == ("'x' (row 2 of column 'p')", "'y' (row 3 of column 'p')")


def test_a_missing_cell_has_no_words() -> None:
    assert words(column("rust\u00a0 scab\n", np.nan, "")) == [["rust", "scab"], [], []]


TABLE = pd.DataFrame({"id": [1], "Label": [2]})


def test_columns_that_are_there_pass() -> None:
    must_have(TABLE, "id")
    must_have(TABLE, "Label", "id", exactly=True)
    must_have(TABLE, "id", "Label", in_order=True)
    must_have_width(TABLE, 2)


@pytest.mark.parametrize(
    ("must", "reason", "told"),
    [
        (lambda: must_have(TABLE, "id", "label"), "MissingColumns", "rename 'Label' to 'label'"),
        (lambda: must_have(TABLE, "score"), "MissingColumns", "start from the sample submission"),
        (lambda: must_have(pd.DataFrame(), "id"), "MissingColumns", "a table without columns"),
        (lambda: must_have(TABLE, "id", exactly=True), "UnexpectedColumns", "1 column is not wanted: 'Label'"),
        (lambda: must_have(TABLE, "Label", "id", in_order=True), "UnexpectedColumns", "not in the order"),
        (lambda: must_have_width(TABLE, 3), "MissingColumns", "has 2 columns; it must have 3"),
        (lambda: must_have_width(TABLE, 1), "UnexpectedColumns", "has 2 columns; it must have 1"),
    ],
)
def test_columns_that_are_not_as_they_should_be(must: Callable[[], None], reason: str, told: str) -> None:
    with pytest.raises(InvalidSubmission) as rejected:
        must()

    assert rejected.value.reason == reason
    assert told in str(rejected.value)


def test_a_rejection_shows_no_control_characters_and_no_endless_text() -> None:
    with pytest.raises(InvalidSubmission) as rejected:
        must_be_numbers(column("\x1b[31mred\n", "x" * 10_000))

    told = str(rejected.value)
    assert "\x1b" not in told
    assert len(told) < 500
