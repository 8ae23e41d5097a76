"""Which rows, groups or items are held back. The permutation is that of scikit-learn's `train_test_split`.

Shares of the test part are rounded up, shares of the train part down; both parts come in the permutation's order, the
test part being its head. The tests hold this against scikit-learn itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache, partial
from math import ceil, floor
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.errors import PreparationError

Positions = npt.NDArray[np.intp]
Item = TypeVar("Item")


def split_positions(
    count: int, *, test: float | None = None, train: float | None = None, seed: int = 0
) -> tuple[Positions, Positions]:
    """Positions of the train part and of the test part, of so many items. A float is a share, an int a number.

    >>> split_positions(5, test=0.3)
    (array([1, 3, 4]), array([2, 0]))
    """
    held_back = _size(test, count, ceil)
    kept = _size(train, count, floor)
    if held_back is None:
        held_back = count - (kept if kept is not None else 0)
    if kept is None:
        kept = count - held_back
    if held_back < 0 or kept < 1 or held_back + kept > count:
        raise PreparationError(f"{count:,} items can't be split into {kept:,} for training and {held_back:,} to test.")
    order = np.random.RandomState(seed).permutation(count)
    return order[held_back : held_back + kept], order[:held_back]


def _size(part: float | None, count: int, rounded: Any) -> int | None:
    if isinstance(part, float):
        return int(rounded(part * count))
    return part


def split_rows(
    frame: pd.DataFrame, *, test: float | None = None, train: float | None = None, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table's rows as train and test part, both in the split's order."""
    kept, held_back = split_positions(len(frame), test=test, train=train, seed=seed)
    return frame.iloc[kept], frame.iloc[held_back]


def split_items(
    items: Sequence[Item], *, test: float | None = None, train: float | None = None, seed: int = 0
) -> tuple[list[Item], list[Item]]:
    """A list as train and test part, both in the split's order."""
    kept, held_back = split_positions(len(items), test=test, train=train, seed=seed)
    return [items[i] for i in kept], [items[i] for i in held_back]


def split_each(
    items: Sequence[Item], keys: Sequence[Hashable], *, test: float, seed: int = 0, rare: Literal["split", "last"]
) -> tuple[list[Item], list[Item]]:
    """Items split within each key, the seed being fresh for each; keys in order of first appearance.

    `rare="last"`: of a key with two to four items the last is the test part, and a lone item is for training.

    >>> split_each(["a1", "b1", "a2", "c1", "a3"], ["a", "b", "a", "c", "a"], test=0.2, rare="last")
    (['a1', 'a2', 'b1', 'c1'], ['a3'])
    """
    groups: dict[Hashable, list[Item]] = {}
    for item, key in zip(items, keys, strict=True):
        groups.setdefault(key, []).append(item)
    split_size = cache(partial(split_positions, test=test, seed=seed))  # a fresh generator costs more than its use
    train: list[Item] = []
    held_back: list[Item] = []
    for group in groups.values():
        if rare == "last" and len(group) < 5:
            kept, out = (group[:-1], group[-1:]) if len(group) > 1 else (group, [])
        else:
            kept_positions, out_positions = split_size(len(group))
            kept, out = [group[i] for i in kept_positions], [group[i] for i in out_positions]
        train += kept
        held_back += out
    return train, held_back


def split_groups(
    frame: pd.DataFrame,
    by: str,
    *,
    test: float,
    seed: int = 0,
    keys: Literal["sorted", "seen"],
    rows: Literal["split", "raw"],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table split by the values of a column, so that no value is on both sides.

    `keys`: whether the list of values that is split is sorted or in order of first appearance. `rows`: whether the
    groups are laid end to end in the split's order, or rows stay in the table's order; within a group they always do.
    """
    group, values = pd.factorize(frame[by], sort=keys == "sorted")
    if (group < 0).any():
        raise PreparationError(f"{(group < 0).sum():,} rows have no {by}: can't tell which side they belong to.")
    parts = split_positions(len(values), test=test, seed=seed)
    train, test_part = (frame.iloc[rows_of(part, group, rows=rows)] for part in parts)
    return train, test_part


def rows_of(part: Positions, group: Positions, *, rows: Literal["split", "raw"]) -> Positions:
    """The rows of some groups, given the group of each row; `rows` as in `split_groups`.

    >>> rows_of(np.array([2, 0]), np.array([0, 1, 2, 0]), rows="split")
    array([2, 0, 3])
    """
    place = np.full(group.max() + 1, -1)
    place[part] = np.arange(len(part))
    place_of_row = place[group]
    chosen = np.flatnonzero(place_of_row >= 0)
    return chosen if rows == "raw" else chosen[np.argsort(place_of_row[chosen], kind="stable")]
