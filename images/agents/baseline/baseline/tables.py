"""Finding and reading the tables of a task's data folder: the sample submission, the training and the test table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = re.compile(r"sample.*submi|submi.*sample", re.IGNORECASE)
TABLE = re.compile(r"\.(csv|tsv|json|jsonl|parquet)(\.(zip|gz))?$", re.IGNORECASE)
MOST_ROWS = 200_000
"""Rows read of a training table: enough for what these models can learn, and bounded in memory."""


def find_sample(data: Path) -> Path | None:
    """The sample submission, of several the one with the shortest name; needs no pandas."""
    found = [path for path in table_files(data) if SAMPLE.search(path.name)]
    return min(found, key=lambda path: (not path.name.endswith(".csv"), len(path.name), path.name), default=None)


def table_files(data: Path) -> list[Path]:
    """Files of the data folder, and of folders right below it, that look like tables."""
    places = [data, *sorted(path for path in data.iterdir() if path.is_dir() and _is_small(path))]
    return [path for place in places for path in sorted(place.iterdir()) if path.is_file() and TABLE.search(path.name)]


def _is_small(folder: Path, most: int = 50) -> bool:
    """Whether a folder has few entries: a table may be among them; in a folder of thousands of files none is."""
    return sum(1 for _, _ in zip(folder.iterdir(), range(most + 1), strict=False)) <= most


@dataclass(frozen=True)
class Table:
    """A table that was found, known by its columns until somebody reads the whole of it."""

    path: Path
    columns: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.name.lower()


def look_at(path: Path) -> Table | None:
    """A table's columns; None for a file that is no table after all."""
    try:
        return Table(path, tuple(map(str, read(path, rows=5).columns)))
    except (ValueError, OSError, ImportError) as error:
        print(f"{path.name} is left aside: {error}")
        return None


def read(path: Path, rows: int | None = None) -> pd.DataFrame:
    """The table, or its first rows."""
    import pandas as pd

    kind = TABLE.search(path.name)
    suffix = kind.group(1).lower() if kind else "csv"
    if suffix == "parquet":
        frame = pd.read_parquet(path)
        return frame if rows is None else frame.head(rows)
    if suffix == "json":
        return pd.read_json(path)
    if suffix == "jsonl":
        return pd.read_json(path, lines=True, nrows=rows)
    return pd.read_csv(path, sep="\t" if suffix == "tsv" else ",", nrows=rows, low_memory=False)
