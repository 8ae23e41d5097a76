"""Kuzushiji Recognition: F1 of the characters that were found, a point inside of the box being a find.

v1 accepts points that are nowhere (`nan`, infinite) and any number of them; v2 rejects such points, and more than 1,200
on a page, as the rules say.
"""

import numpy as np
import numpy.typing as npt

from graders.toolkit import Entry, Form, Groups, Reason, must_be_groups, must_have, pair

POINT, BOX = Form(size=3, name=0), Form(size=5, name=0)
MOST_POINTS = 1200


def score(entry: Entry) -> float:
    must_have(entry.submission, "image_id", "labels")
    predicted, truth = pair(entry.submission, entry.answers, on="image_id")
    chars = sorted({char for text in truth["labels"].dropna() for char in text.split(" ")[:: BOX.size]})
    boxes = must_be_groups(truth["labels"], BOX, known=chars, expected="'char X Y Width Height …'")
    points = must_be_groups(predicted["labels"], POINT, known=chars, expected="'char X Y char X Y …', or nothing")
    if entry.version == "v2":
        _must_keep_the_rules(points)

    found = _count_found(boxes, points, len(chars))
    if not found:
        return 0.0
    precision, recall = found / len(points), found / len(boxes)
    return 2 * precision * recall / (precision + recall)


def _must_keep_the_rules(points: Groups) -> None:
    nowhere = ~np.isfinite(points.numbers).all(axis=1)
    points.reject_where(nowhere, Reason.NOT_FINITE, "are nan or infinite", hint="leave such points out")
    crowded = np.bincount(points.rows, minlength=1)[points.rows] > MOST_POINTS
    hint = f"keep the {MOST_POINTS:,} most certain characters of each page"
    points.reject_where(crowded, Reason.OUT_OF_RANGE, f"are on pages with more than {MOST_POINTS:,}", hint=hint)


def _count_found(boxes: Groups, points: Groups, chars: int) -> int:
    """How many boxes get a point, each in turn taking the first one in it that has its character and is still free."""
    code, point_code = boxes.rows * chars + boxes.names, points.rows * chars + points.names
    known = np.flatnonzero(points.names >= 0)
    order = known[np.argsort(point_code[known], kind="stable")]
    x, y = points.numbers[order].T
    first = np.searchsorted(point_code[order], code, side="left")
    last = np.searchsorted(point_code[order], code, side="right")
    is_free = np.ones(len(order), dtype=np.bool_)
    found = 0
    for (left, top, width, height), start, stop in zip(boxes.numbers.tolist(), first, last, strict=True):
        inside = _lies_within(x[start:stop], left, width) & _lies_within(y[start:stop], top, height)
        fits = np.flatnonzero(inside & is_free[start:stop])
        if len(fits):
            is_free[start + fits[0]] = False
            found += 1
    return found


def _lies_within(values: npt.NDArray[np.float64], start: float, length: float) -> npt.NDArray[np.bool_]:
    return (start < values) & (values < start + length)
