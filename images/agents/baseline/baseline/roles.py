"""Which table is which: what to hand in, what to learn from, what to predict for, joined and in the sample's order.

The sample submission says which columns to hand in. Those that the test table has too are keys; the others are targets.
Targets are found in a training table by their own names; else, where the sample has a column for each class, as the one
training column whose values are those classes; else as the last training column that the test table lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from baseline.pictures import Album
from baseline.tables import MOST_ROWS, SAMPLE, Table, find_sample, look_at, read, table_files

if TYPE_CHECKING:
    import pandas as pd


class CannotSolve(Exception):
    """This agent does not know what to do with the task; the sample submission stays."""


@dataclass(frozen=True)
class Roles:
    """The tables and columns of a task by what they are for."""

    sample: pd.DataFrame
    keys: list[str]
    """Columns that tell rows apart, in sample and test table."""
    targets: list[str]
    """Columns of the submission to fill."""
    train: pd.DataFrame
    test: pd.DataFrame
    """One row for each row of the sample, in its order."""
    answers: list[str]
    """Columns of the training table that hold what is asked for."""


def find_roles(data: Path, album: Album) -> Roles:
    """The tables of a data folder by their roles, or `CannotSolve` with what is missing."""
    path = find_sample(data)
    if path is None:
        raise CannotSolve(f"there is no sample submission in {data}")
    sample = read(path)
    tables = [table for file in table_files(data) if not SAMPLE.search(file.name) and (table := look_at(file))]
    tables.sort(key=lambda table: ("train" not in table.name, "label" not in table.name, table.name))
    test_table = _find_test(tables, sample)
    test = read(test_table.path) if test_table else sample.iloc[:, :1].copy()
    keys = [column for column in sample.columns if column in test.columns]
    targets = [column for column in sample.columns if column not in keys]
    if not targets:
        raise CannotSolve(f"the sample has nothing to fill in: the test table has all its columns ({listed(keys)})")
    train, answers = _find_train(
        [table for table in tables if table != test_table], album, keys, targets, set(test.columns)
    )
    train = train.dropna(subset=answers).reset_index(drop=True)
    if len(train) < 2:
        raise CannotSolve(f"the training table has {len(train)} rows with an answer in {listed(answers)}")
    return Roles(sample, keys, targets, train, _in_sample_order(test, sample, keys), answers)


def _find_test(tables: list[Table], sample: pd.DataFrame) -> Table | None:
    """The table with `test` in its name that shares most columns with the sample."""
    shared = {table: len(set(table.columns) & set(sample.columns)) for table in tables if "test" in table.name}
    best = max(shared, key=lambda table: shared[table], default=None)
    return best if best is not None and shared[best] else None


def _find_train(
    tables: list[Table], album: Album, keys: list[str], targets: list[str], test_columns: set[str]
) -> tuple[pd.DataFrame, list[str]]:
    for table in tables:
        if set(targets) <= set(table.columns):
            return _with_features(table, tables, keys, targets, test_columns), targets
    for table in tables:
        train = read(table.path, rows=MOST_ROWS)
        for column in reversed([column for column in train.columns if column not in test_columns]):
            if len(targets) == 1 or columns_of_classes(train[column].dropna().unique().tolist(), targets):
                return train, [column]
    if len(targets) == 1 and (rows := album.by_class()):
        import pandas as pd

        paths, labels = zip(*rows, strict=True)
        return pd.DataFrame({keys[0]: [path.name for path in paths], targets[0]: labels}), targets
    raise CannotSolve(f"no table has the answers: neither {listed(targets)} nor a column of such classes")


def _with_features(
    table: Table, tables: list[Table], keys: list[str], targets: list[str], test_columns: set[str]
) -> pd.DataFrame:
    """The training table; where it holds answers alone, joined by key with the one that holds the features."""
    train = read(table.path, rows=MOST_ROWS)
    if set(table.columns) - set(targets) - set(keys) or not test_columns - set(keys):
        return train
    for other in tables:
        shared = set(other.columns) & set(keys)
        if other != table and shared and shared <= set(table.columns) and test_columns <= set(other.columns):
            return read(other.path, rows=MOST_ROWS).merge(train, on=sorted(shared), how="inner")
    return train


def _in_sample_order(test: pd.DataFrame, sample: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    wanted, there = _joined(sample, keys), _joined(test, keys)
    if wanted == there:
        return test
    places = {key: place for place, key in reversed(list(enumerate(there)))}
    missing = [key for key in wanted if key not in places]
    if missing:
        raise CannotSolve(f"{len(missing):,} rows of the sample are not in the test table, such as {missing[0]!r}")
    return test.iloc[[places[key] for key in wanted]].reset_index(drop=True)


def _joined(frame: pd.DataFrame, keys: list[str]) -> list[tuple[str, ...]]:
    return list(zip(*(frame[key].astype(str) for key in keys), strict=True))


def columns_of_classes(classes: list[object], targets: list[str]) -> list[str]:
    """The submission's column of each class: its name or one that ends in it (`class_2` is 2); empty if any lacks."""
    if len(classes) > len(targets):
        return []
    found = [column for value in classes if (column := _column_of(value, targets))]
    return found if len(set(found)) == len(classes) else []


def _column_of(value: object, targets: list[str]) -> str | None:
    name = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    before = "[^0-9]" if name.isdigit() else "[^0-9A-Za-z]"
    fits = [target for target in targets if re.fullmatch(rf"(.*{before})?{re.escape(name)}", target)]
    return min(fits, key=len, default=None)


def listed(names: Iterable[object]) -> str:
    """Names for a message, the first few of many."""
    texts = [str(name) for name in names]
    return ", ".join(texts[:3]) + (f", … ({len(texts)} in all)" if len(texts) > 3 else "")
