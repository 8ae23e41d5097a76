"""Tables that parse and make no sense: an honest submission with cells poisoned, columns retyped, rows repeated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

Change = Callable[[pd.DataFrame], pd.DataFrame]

NUMBERS = (
    "nan", "NaN", "", " ", "NA", "null", "None", "inf", "-inf", "Infinity", "1e308", "-1e308", "1e309", "5e-324",
    "-0.0", "0", "1", "-1", "0.5", "1.0000001", "2", "1e-400", "1e15", "0.1e", "1_0", "0x10", "1,5", "True", "False",
    "TRUE", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551615", "1" * 400,
    "٣", "３", "½", "1e", "+-1", "1 2", "1j", "(1)", "1%", "12:30", "2020-01-01",
)  # fmt: skip
TEXTS = (
    "a", "\x00", "a\x00b", "\n", "\r", "a\rb", '"', '""', "'", "\\", "\\N", ",", ";", "\t", "é", "\u200b", "🦖",
    "\ud7ff", "ı", "ß", "[" * 3_000, "{" * 3_000, '{"a":' * 1_000, "(" * 500, "x" * 200_000, "w " * 20_000,
    " " * 5_000, "=1+1", "__import__('os')", "nan nan", "NA NA", "%s%n", "../../etc/passwd",
    "\N{RIGHT-TO-LEFT OVERRIDE}x",
)  # fmt: skip
RUNS = (
    "1 1", "1", "1 1 1", "1 1 1 1", "1 5 3 5", "5 1 1 1", "0 1", "-1 5", "1 0", "1 -1", "1 1e3", "1.5 2",
    "99999999999 1", "1 9223372036854775807", "9223372036854775807 9223372036854775807", "1 99999999999999999999",
    "1 1000000000000", "1 1 2", "1 2 2 2", "1  1", " 1 1", "1 1 ", "1\t1", "1_0 1_0", "٣ ٣", "a b", "1 10201",
    "1 1 3 1 " * 2_000, "-", "- -", "1 1 1 1 1", "nan 1", "1 nan", "inf 1",
)  # fmt: skip
BOXES = (
    "0 1 nan nan nan nan", "0 1 0 0 nan nan", "0 1 0 0 inf inf", "0 1 -inf -inf inf inf", "0 1 5 5 1 1",
    "14 1 0 0 1 1", "0 nan 0 0 1 1", "0 inf 0 0 1 1", "nan 1 0 0 1 1", "0 1 0 0 1e308 1e308", "none 1 0 0 1 1",
    "opacity 1 nan nan nan nan", "negative 1 0 0 1 1", "opacity 1 0 0 inf inf", "opacity nan 0 0 1 1",
    "opacity -1 0 0 1 1 " * 500 + "opacity 0 0 0 1 1", "1.0 0 0 0 inf inf inf 0 car", "1.0 0 0 0 1 1 1 nan car",
    "1.0 0 0 0 1e308 1e308 1e308 0 car", "nan 0 0 0 1 1 1 0 car", "1.0 0 0 0 5e-324 5e-324 5e-324 0 car",
    "1.0 0 0 0 -1 -1 -1 0 car", "1.0 1e300 1e300 0 1 1 1 0 car", "U+306F nan nan", "U+306F 1 1", "U+306F inf inf",
    "U+306F 1e400 -1e400", "U+306F 1", "0 1 0 0 1", "0 1 0 0 1 1 1",
)  # fmt: skip
POISONS = NUMBERS + TEXTS + RUNS + BOXES

MOST_BYTES = 32 << 20


def set_cells(column: int, rows: str, value: str) -> Change:
    """One cell, half of the column or all of it."""

    def change(frame: pd.DataFrame) -> pd.DataFrame:
        if frame.empty or not len(frame.columns):
            return frame
        places = {"one": [column % len(frame)], "half": np.arange(0, len(frame), 2), "all": np.arange(len(frame))}[rows]
        changed = frame.copy()
        cells = changed.iloc[:, column % len(frame.columns)].astype(object).to_numpy(copy=True)
        cells[places] = value[: MOST_BYTES // 8 // len(places)]
        return _with_column(changed, column % len(frame.columns), cells)

    return change


def _with_column(frame: pd.DataFrame, place: int, cells: Any) -> pd.DataFrame:
    columns = [cells if n == place else frame.iloc[:, n].to_numpy() for n in range(len(frame.columns))]
    made = pd.DataFrame(dict(enumerate(columns)))
    made.columns = frame.columns
    return made


def retype(column: int, kind: str) -> Change:
    """Every value of a column written in another way."""
    writers: dict[str, Callable[[Any], Any]] = {
        "float": lambda v: f"{v}.0",
        "negative": lambda v: f"-{v}",
        "quoted": lambda v: f"'{v}'",
        "spaced": lambda v: f" {v} ",
        "bool": lambda v: bool(v),
        "first": lambda v: str(v)[:1],
        "huge": lambda v: f"{v}00000000000000000000",
        "upper": lambda v: str(v).upper(),
        "exponent": lambda v: f"{v}e0",
        "reversed": lambda v: str(v)[::-1],
        "twice": lambda v: f"{v} {v}",
        "many": lambda v: " ".join([str(v)] * 40),
    }

    def change(frame: pd.DataFrame) -> pd.DataFrame:
        if not len(frame.columns):
            return frame
        place = column % len(frame.columns)
        return _with_column(frame, place, [writers[kind](value) for value in frame.iloc[:, place]])

    return change


KINDS = (
    "float", "negative", "quoted", "spaced", "bool", "first", "huge", "upper", "exponent", "reversed", "twice",
    "many",
)  # fmt: skip


def drop_column(column: int) -> Change:
    return lambda frame: frame.iloc[:, [n for n in range(len(frame.columns)) if n != column % len(frame.columns)]]


def repeat_column(column: int) -> Change:
    return lambda frame: frame.iloc[:, [*range(len(frame.columns)), column % len(frame.columns)]]


def reverse_columns() -> Change:
    return lambda frame: frame.iloc[:, ::-1]


def swap_values(column: int) -> Change:
    """The values of two columns under each other's names."""

    def change(frame: pd.DataFrame) -> pd.DataFrame:
        changed = frame.iloc[:, np.roll(np.arange(len(frame.columns)), column)]
        return changed.set_axis(frame.columns, axis=1)

    return change


def add_columns(count: int) -> Change:
    return lambda frame: pd.concat(
        [frame, pd.DataFrame(0, index=frame.index, columns=[f"extra{n}" for n in range(count)])], axis=1
    )


def add_index() -> Change:
    return lambda frame: frame.reset_index(names=f"index {len(frame.columns)}", allow_duplicates=True)


def rename(column: int, name: str) -> Change:
    return lambda frame: frame.set_axis(
        [name if n == column % len(frame.columns) else old for n, old in enumerate(frame.columns)], axis=1
    )


def take_rows(start: int, step: int) -> Change:
    return lambda frame: frame.iloc[start % max(len(frame), 1) :: step]


def repeat_rows(times: int) -> Change:
    return lambda frame: pd.concat([frame] * times)


def repeat_one_row(row: int, instead: bool) -> Change:
    """A row stands twice, as one too many or in the place of another."""

    def change(frame: pd.DataFrame) -> pd.DataFrame:
        if frame.empty:
            return frame
        places = list(range(len(frame)))
        if instead:
            places[(row + 1) % len(frame)] = row % len(frame)
        else:
            places.append(row % len(frame))
        return frame.iloc[places]

    return change


def shuffle(seed: int) -> Change:
    return lambda frame: frame.sample(frac=1, random_state=seed)


places = st.integers(0, 200)
changes: st.SearchStrategy[Change] = st.one_of(
    st.builds(set_cells, places, st.sampled_from(["one", "half", "all"]), st.sampled_from(POISONS)),
    st.builds(set_cells, places, st.sampled_from(["one", "half", "all"]), st.sampled_from(NUMBERS)),
    st.builds(set_cells, places, st.sampled_from(["one", "all"]), st.text(max_size=20)),
    st.builds(retype, places, st.sampled_from(KINDS)),
    st.builds(drop_column, places),
    st.builds(repeat_column, places),
    st.builds(reverse_columns),
    st.builds(swap_values, st.integers(1, 3)),
    st.builds(add_columns, st.sampled_from([1, 50, 900])),
    st.builds(add_index),
    st.builds(rename, places, st.sampled_from(["id", "", "label", "0", "x" * 5_000, "Unnamed: 0"])),
    st.builds(take_rows, places, st.integers(1, 3)),
    st.builds(take_rows, places, st.just(-1)),
    st.builds(repeat_rows, st.integers(2, 4)),
    st.builds(repeat_one_row, places, st.booleans()),
    st.builds(shuffle, places),
)


def table(frame: pd.DataFrame, several: list[Change]) -> pd.DataFrame:
    """The frame after these changes, without those that would make it larger than what graders are asked to bear."""
    for change in several:
        changed = change(frame) if len(frame.columns) else frame
        if changed.memory_usage(deep=True).sum() <= MOST_BYTES:
            frame = changed
    return frame
