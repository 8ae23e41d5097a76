"""The commonest submission of all: an id and a probability, or a probability for each of several labels."""

from __future__ import annotations

from typing import Any, TypeAlias, overload

import pandas as pd

from graders.toolkit.columns import must_have
from graders.toolkit.entry import Entry
from graders.toolkit.match import pair
from graders.toolkit.places import Column
from graders.toolkit.values import must_be_numbers, must_be_within

Columns: TypeAlias = "tuple[Column, Column]"


@overload
def pair_probabilities(entry: Entry, target: str, *, on: str) -> Columns: ...
@overload
def pair_probabilities(entry: Entry, target: list[str], *, on: str) -> tuple[pd.DataFrame, pd.DataFrame]: ...
def pair_probabilities(entry: Entry, target: str | list[str], *, on: str) -> tuple[Any, Any]:
    """The submission's and the answers' values, row by row, once the columns, the ids and the values are right.

    Every value must be a number from 0 to 1; True and False are 1 and 0, text that spells a number is none. Other
    columns are ignored.
    """
    targets = [target] if isinstance(target, str) else target
    must_have(entry.submission, on, *targets)
    predicted, truth = pair(entry.submission, entry.answers_of(on, *targets), on=on)
    must_be_numbers(predicted[targets], strict=True)
    must_be_within(predicted[targets], 0, 1)
    return predicted[target], truth[target]
