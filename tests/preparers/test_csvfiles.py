"""Tables have the bytes that pandas gives them, whichever way they are written."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preparers.toolkit import csvfiles
from preparers.toolkit.csvfiles import write_csv

TABLES = {
    "whole numbers": pd.DataFrame({"id": [3, 1, 2], "big": np.array([2**63, 0, 2**64 - 1], dtype=np.uint64)}),
    "floats": pd.DataFrame({"x": [0.1, -2.5, 45.0, 0.0, -0.0, 1e-5, 1e16, np.inf, -np.inf, np.nan, 999999999.5]}),
    "texts": pd.DataFrame({"a": ['say "so"', "one, two", "", " b ", "line\nend", "\r", "ж", None, np.nan]}),
    "one column with gaps": pd.DataFrame({"a": [1.5, np.nan, 2.0]}),
    "truths with gaps": pd.DataFrame({"a": [True, None, False], "b": [True, False, True]}),
    "a mixture": pd.DataFrame({"a": [1, "x", 2.50, None, [1, 2]]}),
    "rows out of order": pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}).iloc[[2, 0]],
    "two columns of one name": pd.DataFrame([[1, "x"], [2, "y"]], columns=["a", "a"]),
    "no rows": pd.DataFrame({"a": [], "b": []}),
    "no columns": pd.DataFrame(index=[0, 1]),
    "columns that are numbers": pd.DataFrame({0: [1], 1: [2.5]}),
    "short floats": pd.DataFrame({"a": np.array([0.1, 2.0], dtype=np.float32)}),
    "dates": pd.DataFrame({"a": pd.to_datetime(["2020-01-02", None])}),
    "categories": pd.DataFrame({"a": pd.Categorical(["x", None])}),
    "pandas' own kinds": pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
}


def both(folder: Path, table: pd.DataFrame, **options: Any) -> tuple[bytes, bytes]:
    write_csv(folder / "ours.csv", table, **options)
    table.to_csv(folder / "pandas.csv", index=False, lineterminator="\n", **options)
    return (folder / "ours.csv").read_bytes(), (folder / "pandas.csv").read_bytes()


@pytest.mark.parametrize(
    "options",
    [{}, {"sep": "\t"}, {"quoting": csv.QUOTE_NONNUMERIC}, {"quoting": csv.QUOTE_ALL}, {"float_format": "%.3g"}],
    ids=str,
)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_bytes_are_those_of_pandas(table: pd.DataFrame, options: dict[str, Any], tmp_path: Path) -> None:
    ours, expected = both(tmp_path, table, **options)
    assert ours == expected


@settings(deadline=None)
@given(numbers=st.lists(st.floats() | st.floats(1e-4, 1e10) | st.floats(-1, 1), min_size=1))
def test_every_float_is_written_as_pandas_writes_it(numbers: list[float], tmp_path_factory: Any) -> None:
    ours, expected = both(tmp_path_factory.getbasetemp(), pd.DataFrame({"x": numbers}))
    assert ours == expected


def test_a_table_that_is_written_in_pieces_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfiles, "CELLS_AT_ONCE", 4)
    monkeypatch.setattr(csvfiles, "FEWEST_ROWS", 2)
    ours, expected = both(tmp_path, pd.DataFrame({"a": range(7), "b": np.linspace(0, 1, 7)}))
    assert ours == expected
