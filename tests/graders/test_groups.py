"""Cells that list boxes: what is read out of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from graders.errors import InvalidSubmission, Reason
from graders.toolkit import Form, groups, must_be_groups

NAMED = Form(size=3, name=0)


def column(*cells: object) -> pd.Series:
    return pd.Series(list(cells), name="boxes", dtype=object)


def test_groups_keep_their_order_their_row_and_odd_numbers() -> None:
    read = must_be_groups(column("a 1 2 b inf -3", None, "c nan 1e3"), NAMED, known=["b", "a"], expected="name x y")

    assert read.rows.tolist() == [0, 0, 2]
    assert read.names.tolist() == [1, 0, -1]
    assert str(read.numbers.tolist()) == "[[1.0, 2.0], [inf, -3.0], [nan, 1000.0]]"


def test_a_column_without_any_text_has_no_groups() -> None:
    assert len(must_be_groups(pd.Series([float("nan")] * 3), NAMED, expected="name x y")) == 0


def test_columns_longer_than_a_block_are_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_BLOCK", 6)
    cells = column(*(f"a {k} 0 a {k} 1" if k % 3 else None for k in range(20)))

    read = must_be_groups(cells, NAMED, known=["a"], expected="name x y")

    rows = [k for k in range(20) if k % 3 for _ in range(2)]
    assert read.rows.tolist() == rows
    assert read.numbers[:, 0].tolist() == rows
    assert read.numbers[:, 1].tolist() == [0, 1] * (len(rows) // 2)


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param("a 1", id="a piece is missing"),
        pytest.param("a 1 x", id="a word for a number"),
        pytest.param("a  1 2", id="two blanks"),
        pytest.param("a 1 2 ", id="a blank at the end"),
        pytest.param("  ", id="empty pieces for numbers"),
    ],
)
def test_cells_that_are_written_otherwise_are_refused_with_their_row(cell: str) -> None:
    with pytest.raises(InvalidSubmission) as refused:
        must_be_groups(column("a 1 2", cell), NAMED, expected="name x y")

    assert refused.value.reason == Reason.MALFORMED
    assert "(row 2" in refused.value.found[0]


def test_other_forms_are_less_strict_about_blanks() -> None:
    loose = Form(size=3, name=0, single_blanks=False)
    assert len(must_be_groups(column(" a  1\t2 ", "  "), loose, expected="name x y")) == 1
    assert len(must_be_groups(column("   "), Form(size=3, name=0, blank_is_none=True), expected="name x y")) == 0


def test_numbers_where_text_is_due_are_refused() -> None:
    with pytest.raises(InvalidSubmission, match="numbers"):
        must_be_groups(pd.Series([1.5, 2.5], name="boxes"), NAMED, expected="name x y")


def test_more_than_can_be_meant_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "MAX_GROUPS", 3)
    with pytest.raises(InvalidSubmission) as refused:
        must_be_groups(column("a 1 2 a 1 2", "a 1 2 a 1 2"), NAMED, expected="name x y")
    assert refused.value.reason == Reason.TOO_LARGE

    monkeypatch.setattr(groups, "MAX_CELL", 10)
    with pytest.raises(InvalidSubmission, match="characters"):
        must_be_groups(column("a 1 2 a 1 2"), NAMED, expected="name x y")


def test_wrong_groups_are_refused_with_the_cells_that_hold_them() -> None:
    read = must_be_groups(column("a 1 2", "b nan 2 a 3 4"), NAMED, expected="name x y")

    with pytest.raises(InvalidSubmission) as refused:
        read.reject_where(np.isnan(read.numbers[:, 0]), Reason.NOT_FINITE, "are nowhere", hint="say where")

    assert str(refused.value.problem) == "1 of the 3 things listed in column 'boxes' are nowhere."
    assert refused.value.found == ("'b nan 2 a 3 4' (row 2 of column 'boxes')",)
    read.reject_where(np.isinf(read.numbers[:, 0]), Reason.NOT_FINITE, "are far away", hint="come closer")
