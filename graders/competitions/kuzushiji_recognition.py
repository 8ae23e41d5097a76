"""Kuzushiji Recognition: F1 of the characters that were found, a point inside of the box being a find.

v1 accepts points that are nowhere (`nan`, infinite) and any number of them; v2 rejects such points, and more than 1,200
on a page, as the rules say.
"""

import numpy as np

from graders.metrics.detection import match_greedily, pairs_within
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
    nobody = -1
    code = boxes.rows * chars + boxes.names
    point_code = np.where(points.names >= 0, points.rows * chars + points.names, nobody)
    seekers, wanted = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.intp)]
    for box, point in pairs_within(code, point_code):
        corner, size, place = boxes.numbers[box, :2], boxes.numbers[box, 2:], points.numbers[point]
        inside = ((corner < place) & (place < corner + size)).all(axis=1)
        seekers.append(box[inside])
        wanted.append(point[inside])
    return len(match_greedily(np.concatenate(seekers), np.concatenate(wanted)))
