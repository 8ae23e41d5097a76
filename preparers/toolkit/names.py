"""Names of files made from rows: `expand("train/{id}.jpg", rows)`; and names as they are told in messages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from string import Formatter

import pandas as pd

from preparers.errors import PreparationError


def expand(pattern: str, rows: pd.DataFrame) -> list[str]:
    """A name for each row, with columns in braces: `{id}`, `{id:05d}`, `{id[0]}` for a first letter.

    >>> expand("train/{breed}/{id:03d}.jpg", pd.DataFrame({"id": [7, 12], "breed": ["pug", "saluki"]}))
    ['train/pug/007.jpg', 'train/saluki/012.jpg']
    """
    fields = sorted({field.partition("[")[0] for _, field, _, _ in Formatter().parse(pattern) if field is not None})
    columns = [rows[field].tolist() for field in fields]
    if not columns:
        return list(repeat(pattern, len(rows)))
    return [pattern.format(**dict(zip(fields, values, strict=True))) for values in zip(*columns, strict=True)]


def check_inside(name: str) -> None:
    """Refuse a name that would leave the folder that it is meant for."""
    if name.startswith("/") or ".." in name.split("/"):
        raise PreparationError(f"The name {name!r} leads out of its folder: the raw files are not as Kaggle made them.")


def tell(names: Sequence[str], most: int = 3) -> str:
    """Some of the names, for a message."""
    shown = ", ".join(repr(name) for name in names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
