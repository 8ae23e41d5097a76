"""Answers in words: how a column of free text is read, and what becomes of cells that are numbers or missing."""

from __future__ import annotations

import pandas as pd

from graders.reading import read_submission
from graders.toolkit.columns import must_have
from graders.toolkit.entry import Entry
from graders.toolkit.match import pair
from graders.toolkit.places import Column


def pair_texts(entry: Entry, target: str, *, on: str, plain: bool) -> tuple[Column, Column]:
    """A column of the submission and the same of the answers, row by row, once the columns and the ids are right.

    `plain`: cells are read as they stand, so that `7` stays '7', `NA` stays 'NA' and nothing is ''. Otherwise they are
    what pandas makes of them: numbers, missing values, or text.
    """
    text = (target,) if plain else ()
    submission = read_submission(entry.path, text=text) if plain else entry.submission
    must_have(submission, on, target)
    answers = entry.private.csv(entry.competition.answers, *text, columns=[on, target])
    predicted, truth = pair(submission, answers, on=on)
    return predicted[target], truth[target]


def as_text(column: Column, *, missing: str = "nan") -> pd.Series[str]:
    """Every cell as the text that Python makes of it, a missing one as that word.

    >>> as_text(pd.Series([7, None])).tolist()
    ['7.0', 'nan']
    """
    return column.astype(object).where(column.notna(), missing).astype(str)
