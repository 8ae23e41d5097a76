"""Tables made of other tables: answers as 0/1 columns, sample submissions, new ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd


def one_hot(frame: pd.DataFrame, *, id: str, label: str, classes: Sequence[str]) -> pd.DataFrame:
    """The id and a column of 0 and 1 for each class; a row whose label is no class has zeros only.

    >>> dogs = pd.DataFrame({"id": [7, 8], "breed": ["pug", "saluki"]})
    >>> one_hot(dogs, id="id", label="breed", classes=["pug", "saluki"])
       id  pug  saluki
    0   7    1       0
    1   8    0       1
    """
    hits = frame[label].to_numpy()[:, None] == np.array(classes, dtype=object)[None, :]
    columns = pd.DataFrame(hits.astype(np.int64), columns=list(classes), index=frame.index)
    return pd.concat([frame[[id]], columns], axis=1)


def sample(frame: pd.DataFrame, *ids: str, **fill: Any) -> pd.DataFrame:
    """A sample submission: the id columns of the rows, then a column for each `fill`, a constant or a value a row.

    >>> sample(pd.DataFrame({"id": [7, 8], "breed": ["pug", "saluki"]}), "id", breed="pug")
       id breed
    0   7   pug
    1   8   pug
    """
    columns = {name: pd.Series(value, index=frame.index) for name, value in fill.items()}
    return pd.concat([frame[list(ids)], pd.DataFrame(columns, index=frame.index)], axis=1)


def renumber(frame: pd.DataFrame, column: str, pattern: str | None = None, *, start: int = 0) -> pd.DataFrame:
    """The rows with new ids counted in their order: numbers, or a pattern such as `Test_{}`.

    >>> renumber(pd.DataFrame({"id": ["Train_7", "Train_3"]}), "id", "Test_{}")
           id
    0  Test_0
    1  Test_1
    """
    numbers = range(start, start + len(frame))
    return frame.assign(**{column: list(numbers) if pattern is None else [pattern.format(k) for k in numbers]})
