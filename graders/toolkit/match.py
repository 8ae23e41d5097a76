"""Which row of a submission answers which row of the answers.

Each word returns (predicted, truth): two tables of the same length whose rows belong together. Ids are compared as
numpy compares them, so `12.0` is `12`, and text is never a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from graders.errors import InvalidSubmission, Reason
from graders.toolkit.columns import must_have
from graders.toolkit.places import MOST_SHOWN, Mask, places, quote

Matched: TypeAlias = tuple[pd.DataFrame, pd.DataFrame]
Key: TypeAlias = str | Sequence[str]
Positions = npt.NDArray[np.intp]


def pair(submission: pd.DataFrame, answers: pd.DataFrame, *, on: Key) -> Matched:
    """One row for each row of the answers, in any order: the usual case. Both tables come in the answers' order.

    The same as sorting both sides by id and comparing the ids one by one. Where the answers themselves repeat an id,
    the k-th row of an id in the submission belongs to the k-th in the answers.
    """
    columns = _columns(on)
    must_have(submission, *columns)
    must_have_rows(submission, len(answers))
    if _are_equal(submission, answers, columns):
        return submission, answers
    theirs, ours = _index(submission, columns), _index(answers, columns)
    if not ours.is_unique:
        theirs, ours = _numbered(theirs), _numbered(ours)
    place = _places(theirs, ours, columns)
    order = np.full(len(place), -1)
    order[place] = np.arange(len(place))
    if (order < 0).any():
        must_not_repeat(submission, on=on)
    return submission.iloc[order], answers


def join(submission: pd.DataFrame, answers: pd.DataFrame, *, on: Key, complete: bool = True) -> Matched:
    """At least one row for each id of the answers; each row of a repeated id counts. In the submission's order.

    Not `complete`: ids may be left out, and the answers to them are.
    """
    columns = _columns(on)
    must_have(submission, *columns)
    if len(submission) == len(answers) and _are_equal(submission, answers, columns):
        return submission, answers
    theirs, ours = _index(submission, columns), _index(answers, columns)
    place = _places(theirs, ours, columns)
    if complete:
        _must_cover(place, ours, columns)
    return submission, answers.iloc[place]


def line_up(submission: pd.DataFrame, answers: pd.DataFrame, *, by: str) -> Matched:
    """As many rows as the answers; each side is sorted by a column, whose values are not compared.

    The sort is pandas' default one, which leaves rows of equal keys in an order of its own. Where the columns are the
    same, so is that order, and rows belong together as they stand.
    """
    must_have(submission, by)
    must_have_rows(submission, len(answers))
    if submission[by].dtype == answers[by].dtype and _are_equal(submission, answers, [by]):
        return submission, answers
    try:
        ranked = submission.sort_values(by)
    except TypeError:
        raise InvalidSubmission(
            Reason.UNKNOWN_IDS, f"Column {quote(by)} mixes numbers and text and can't be sorted.", hint=_KEEP_IDS
        ) from None
    return ranked, answers.sort_values(by)


def by_position(submission: pd.DataFrame, answers: pd.DataFrame) -> Matched:
    """As many rows as the answers, the first belonging to the first and so on."""
    must_have_rows(submission, len(answers))
    return submission, answers


def must_have_rows(submission: pd.DataFrame, count: int) -> None:
    """There are so many rows."""
    if len(submission) != count:
        raise InvalidSubmission(
            Reason.WRONG_ROW_COUNT,
            f"The submission has {len(submission):,} rows; it must have {count:,}.",
            hint="hand in exactly one row for each row of the sample submission",
        )


def must_not_repeat(submission: pd.DataFrame, *, on: Key) -> None:
    """No id stands twice."""
    columns = _columns(on)
    repeated = submission.duplicated(columns).to_numpy()
    if repeated.any():
        raise InvalidSubmission(
            Reason.REPEATED_IDS,
            f"{repeated.sum():,} rows repeat an id.",
            found=_shown(submission, columns, repeated),
            hint="keep one row for each id",
        )


_KEEP_IDS = "keep ids exactly as the sample submission writes them, file ending included"


def _columns(on: Key) -> list[str]:
    return [on] if isinstance(on, str) else list(on)


def _index(frame: pd.DataFrame, columns: list[str]) -> pd.Index[Any]:
    if len(columns) == 1:
        return pd.Index(frame[columns[0]])
    return pd.MultiIndex.from_frame(frame[columns])


def _are_equal(submission: pd.DataFrame, answers: pd.DataFrame, columns: list[str]) -> bool:
    return all(bool(np.all(submission[c].to_numpy() == answers[c].to_numpy())) for c in columns)


def _numbered(ids: pd.Index[Any]) -> pd.Index[Any]:
    """The ids, each with the number of times that it stood there before."""
    frame = ids.to_frame(index=False)
    return pd.MultiIndex.from_frame(frame.assign(repeat=frame.groupby(list(frame.columns), dropna=False).cumcount()))


def _places(theirs: pd.Index[Any], ours: pd.Index[Any], columns: list[str]) -> Positions:
    """For each of their ids the row of the answers that has it."""
    place: Positions = ours.get_indexer(theirs)
    unknown: Mask = place < 0
    if unknown.any():
        raise InvalidSubmission(
            Reason.UNKNOWN_IDS,
            f"{unknown.sum():,} of {len(place):,} ids are not in this competition, or stand there too often.",
            found=_shown(theirs.to_frame(index=False), columns, unknown),
            expected="the ids of the sample submission",
            hint=_KEEP_IDS,
        )
    return place


def _must_cover(place: Positions, ours: pd.Index[Any], columns: list[str]) -> None:
    missing = np.ones(len(ours), dtype=np.bool_)
    missing[place] = False
    if missing.any():
        first = ours.to_frame(index=False)[columns[0]][missing].iloc[:MOST_SHOWN]
        raise InvalidSubmission(
            Reason.MISSING_IDS,
            f"{missing.sum():,} of {len(ours):,} ids of the sample submission are missing.",
            expected=f"a row for {', '.join(quote(value) for value in first)}",
            hint="hand in a row for each row of the sample submission",
        )


def _shown(frame: pd.DataFrame, columns: list[str], wrong: Mask) -> list[str]:
    return [text for column in columns for text in places(frame[column], wrong)]
