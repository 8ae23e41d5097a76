"""Labels as scikit-learn compares them: what may stand beside the true ones, one label a case or several."""

from __future__ import annotations

from graders.errors import InvalidSubmission, Reason
from graders.toolkit.cells import words
from graders.toolkit.places import Column, quote
from graders.toolkit.values import must_be_labels, must_be_text


def must_compare(predicted: Column, truth: Column) -> None:
    """Labels that can be held against the true ones: whole numbers, True and False, or text; none missing.

    Text beside numbers is merely wrong, unless both sides have two labels at most: scikit-learn then sorts the labels
    of both together, and can't.
    """
    must_be_labels(predicted)
    differ = (predicted.dtype == object) != (truth.dtype == object)
    if differ and predicted.nunique() <= 2 and truth.nunique() <= 2:
        due = "words" if truth.dtype == object else "numbers"
        raise InvalidSubmission(
            Reason.NOT_SCORABLE,
            f"Column {quote(predicted.name)} can't be compared: {due} are due in it.",
            hint="write labels as the sample submission does",
        )


def label_sets(predicted: Column, truth: Column) -> tuple[list[list[str]], list[list[str]]]:
    """The labels of each case as v1 of the competitions with several takes them, predicted and true.

    A column that pandas reads as numbers is rejected. Where the answers themselves are numbers, or one of them is
    empty, which no real competition has, v1 can't grade anything.
    """
    must_be_text(predicted)
    if truth.dtype != object or truth.isna().any():
        raise InvalidSubmission(
            Reason.NOT_SCORABLE, "v1 has no score where a case has no label, or all have one number."
        )
    return words(predicted), words(truth)
