"""Tables, texts and pictures as matrices. Training and test rows are turned together; no answer is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from baseline.metrics import Matrix
from baseline.pictures import Album, as_pixels, find_all
from baseline.roles import CannotSolve, Roles

if TYPE_CHECKING:
    import pandas as pd

MOST_VALUES = 30
"""Values of a category that get a column of their own."""
WORDS_OF_A_TEXT = 4
"""A column of strings with more words than this on average is text, with fewer a category."""


@dataclass(frozen=True)
class Features:
    """What models see: the same rows, training rows first, in the shapes that different models like."""

    trees: Matrix
    """Numbers as they are, categories as ranks by how common they are."""
    scaled: Matrix
    """Numbers with mean 0 and spread 1, a column for each common value of a category."""
    words: Any | None
    """Sparse TF-IDF of the text columns, if there are any."""
    train_rows: int
    summary: str

    @property
    def columns(self) -> int:
        return int(self.scaled.shape[1]) + (int(self.words.shape[1]) if self.words is not None else 0)


def make_features(roles: Roles, album: Album, seed: int) -> Features:
    """The features of a task; `CannotSolve` if there is nothing to learn from."""
    import pandas as pd

    shared = [column for column in roles.test.columns if column in roles.train.columns and column not in roles.answers]
    both = pd.concat([roles.train[shared], roles.test[shared]], ignore_index=True)
    parts = _Parts()
    for column in shared:
        _add_column(parts, both[column], is_key=column in roles.keys)
    pixels = _find_pixels(roles, album, shared)
    if pixels is not None:
        parts.add_numbers("pixels", pixels)
    words = _words(parts.texts) if parts.texts else None
    if words is not None:
        parts.trees.append(_topics(words, seed))
    if not parts.trees:
        raise CannotSolve("training and test rows have no column or picture in common to learn from")
    trees = np.hstack(parts.trees)
    scaled = np.hstack(parts.scaled) if parts.scaled else np.zeros((len(both), 0))
    return Features(trees, scaled, words, len(roles.train), parts.summary())


class _Parts:
    """Blocks of columns as they come in, with a count of each sort for the log."""

    def __init__(self) -> None:
        self.trees: list[Matrix] = []
        self.scaled: list[Matrix] = []
        self.texts: list[pd.Series] = []
        self.counts: dict[str, int] = {}

    def add_numbers(self, sort: str, numbers: Matrix) -> None:
        """Numbers with gaps: filled with the median, and a flag for those that were."""
        numbers = np.where(np.isfinite(numbers), numbers, np.nan)
        gaps = np.isnan(numbers)
        numbers = numbers[:, ~gaps.all(axis=0)]
        gaps = gaps[:, ~gaps.all(axis=0)]
        filled = np.where(gaps, np.nanmedian(numbers, axis=0) if numbers.size else 0, numbers)
        block = np.hstack([filled, gaps[:, gaps.any(axis=0)].astype(np.float64)])
        block = block[:, block.std(axis=0) > 0]
        if block.shape[1]:
            self.trees.append(block)
            self.scaled.append((block - block.mean(axis=0)) / block.std(axis=0))
            self._count(sort, block.shape[1])

    def add_category(self, column: pd.Series) -> None:
        common = column.value_counts()
        ranks = column.map({value: rank for rank, value in enumerate(common.index)}).fillna(len(common))
        self.trees.append(ranks.to_numpy(dtype=np.float64)[:, None])
        shown = [value for value, count in common.items() if count > 1][:MOST_VALUES]
        self.scaled.append(np.column_stack([(column == value).to_numpy(dtype=np.float64) for value in shown]))
        self._count("categories", 1)

    def add_text(self, column: pd.Series) -> None:
        self.texts.append(column)
        self._count("texts", 1)

    def _count(self, sort: str, number: int) -> None:
        self.counts[sort] = self.counts.get(sort, 0) + number

    def summary(self) -> str:
        return ", ".join(f"{number} {sort}" for sort, number in self.counts.items())


def _add_column(parts: _Parts, column: pd.Series, is_key: bool) -> None:
    """Put one column where it belongs; what only tells rows apart is left out."""
    import pandas as pd

    values = column.nunique(dropna=True) if column.dtype.kind != "O" else column.astype(str).nunique()
    if column.dtype.kind in "iufb":
        if not (is_key and values == len(column)):
            parts.add_numbers("numbers", column.to_numpy(dtype=np.float64)[:, None])
        return
    if column.dtype.kind == "M" or _is_date(column):
        parts.add_numbers("parts of dates", _date_parts(pd.to_datetime(column, errors="coerce", utc=True)))
        return
    texts = column.fillna("").astype(str)
    if texts.str.count(" ").mean() + 1 > WORDS_OF_A_TEXT:
        parts.add_text(texts)
    elif 1 < values <= len(column) / 2:
        parts.add_category(texts)


def _is_date(column: pd.Series) -> bool:
    some = column.dropna().astype(str).head(20)
    return len(some) > 0 and bool(some.str.match(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}|$)").all())


def _date_parts(moments: pd.Series) -> Matrix:
    parts = moments.dt
    days = (moments - moments.min()).dt.total_seconds() / 86400
    columns = [parts.year, parts.month, parts.day, parts.dayofweek, parts.hour, days]
    return np.column_stack([column.to_numpy(dtype=np.float64) for column in columns])


def _find_pixels(roles: Roles, album: Album, shared: Sequence[str]) -> Matrix | None:
    """Pixels of the pictures that a column names for every row, the keys tried first; None if no column does."""
    if not album.paths:
        return None
    of_train, of_test = album.of_part("train"), album.of_part("test")
    for column in sorted(shared, key=lambda column: column not in roles.keys):
        train, test = find_all(roles.train[column], of_train), find_all(roles.test[column], of_test)
        if train and test:
            return as_pixels([*train, *test])
    return None


def _words(texts: list[pd.Series]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    joined = texts[0].str.cat(texts[1:], sep=" \n ")
    least = 2 if len(joined) > 100 else 1
    return TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=least, max_features=50_000).fit_transform(
        joined
    )


def _topics(words: Any, seed: int) -> Matrix:
    from sklearn.decomposition import TruncatedSVD

    topics: Matrix = TruncatedSVD(min(50, words.shape[1] - 1), random_state=seed).fit_transform(words)
    return topics
