"""iNaturalist 2019: the share of pictures whose category is wrong. v2 is the same.

A cell may list several categories, of which the first counts. One beyond 64 bits is rejected.
"""

import numpy as np
import pandas as pd

from graders.metrics import accuracy_score
from graders.toolkit import (
    Column,
    Entry,
    InvalidSubmission,
    Reason,
    must_be_text,
    must_have,
    must_not_be_missing,
    must_parse,
    pair,
)


def score(entry: Entry) -> float:
    must_have(entry.submission, "id", "predicted")
    predicted, truth = pair(entry.submission, entry.answers, on="id")
    return 1 - accuracy_score(truth["predicted"], _first_categories(predicted["predicted"]))


def _first_categories(column: Column) -> Column:
    if pd.api.types.is_float_dtype(column):
        raise InvalidSubmission(
            Reason.NOT_WHOLE,
            "Column 'predicted' holds decimals or empty cells.",
            hint="write whole numbers, and one in every row",
        )
    if column.dtype != object:
        return column
    must_be_text(column)
    must_not_be_missing(column)
    firsts = must_parse(column, _first_category, expected="category numbers with blanks between, the likeliest first")
    return pd.Series(firsts, index=column.index, name=column.name)


def _first_category(cell: str) -> np.int64:
    pieces = cell.split(None, 1)
    if not pieces:
        raise ValueError("it holds nothing but blanks")
    return np.int64(int(pieces[0]))
