"""Found things against true ones: which can belong together, which do, and how well the certain ones came first.

Things are lines of arrays. Those that may be compared at all (same picture, same class) share a code, a whole number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from graders.metrics.arrays import Floats, floats

Positions = npt.NDArray[np.intp]
Hits = npt.NDArray[np.bool_]

MOST_PAIRS = 1 << 21
"""In one block of `pairs_within`."""
LEVELS = np.linspace(0, 1, 101)
"""Of recall, in the COCO measure."""


def pairs_within(left: Positions, right: Positions, *, most: int = MOST_PAIRS) -> Iterator[tuple[Positions, Positions]]:
    """All pairs of a left and a right line with the same code, in blocks: by left line, then by right line.

    >>> [(a.tolist(), b.tolist()) for a, b in pairs_within(np.array([7, 5, 7]), np.array([7, 6, 7]))]
    [([0, 0, 2, 2], [0, 2, 0, 2])]
    """
    order = np.argsort(right, kind="stable")
    codes = right[order]
    first = np.searchsorted(codes, left, side="left")
    counts = np.searchsorted(codes, left, side="right") - first
    ends = np.cumsum(counts)
    start = 0
    while start < len(left):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + most, side="right")))
        some = counts[start:stop]
        within = np.arange(some.sum()) - np.repeat(np.cumsum(some) - some, some)
        yield np.repeat(np.arange(start, stop), some), order[np.repeat(first[start:stop], some) + within]
        start = stop


def match_greedily(seekers: Positions, wanted: Positions, *, borrower: int | None = None) -> dict[int, int]:
    """Who gets what, when each seeker in turn takes the first of its wants that is still free.

    Pairs come in the order of turns, a seeker's pairs together and in its order of liking. A `borrower` finds what it
    wants, but leaves it free.

    >>> match_greedily(np.array([4, 4, 2, 2]), np.array([0, 1, 0, 1]))
    {4: 0, 2: 1}
    """
    found: dict[int, int] = {}
    taken: set[int] = set()
    for seeker, want in zip(seekers.tolist(), wanted.tolist(), strict=True):
        if seeker not in found and want not in taken:
            found[seeker] = want
            if seeker != borrower:
                taken.add(want)
    return found


def match_by_overlap(
    codes: Positions,
    true_codes: Positions,
    overlap: Callable[[Positions, Positions], Floats],
    fits: Callable[[Floats], Hits],
    *,
    borrower: int | None = None,
) -> dict[int, int]:
    """Which true thing each found one gets: in turn, of those still free that fit, the one with the largest overlap.

    Found things come with their codes, in the order of their turns; `overlap` is told pairs of found and true lines,
    and `fits` says of an overlap whether it is enough. The first of equal ones is taken.

    >>> match_by_overlap(np.array([7, 7]), np.array([7, 7]), lambda a, b: (b + 1.0) / (a + 2.0), lambda o: o > 0.3)
    {0: 1, 1: 0}
    """
    seekers, wanted = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.intp)]
    for left, right in pairs_within(codes, true_codes):
        size = overlap(left, right)
        is_enough = fits(size)
        left, right, size = left[is_enough], right[is_enough], size[is_enough]
        best_first = np.lexsort((right, -size, left))
        seekers.append(left[best_first])
        wanted.append(right[best_first])
    return match_greedily(np.concatenate(seekers), np.concatenate(wanted), borrower=borrower)


def corner_iou_scores(boxes: Floats, answers: Floats) -> Floats:
    """The common area by the area of either, line by line, of boxes x_min, y_min, x_max, y_max; 0 without an area.

    >>> corner_iou_scores(np.array([[0.0, 0, 2, 1]]), np.array([[1.0, 0, 3, 1]])).round(5).tolist()
    [0.33333]
    """
    (near, far), (true_near, true_far) = ((side[:, :2], side[:, 2:]) for side in (boxes, answers))
    both = np.maximum(np.minimum(far, true_far) - np.maximum(near, true_near), 0).prod(axis=1)
    either = (far - near).prod(axis=1) + (true_far - true_near).prod(axis=1) - both
    iou: Floats = np.divide(both, either, out=np.zeros_like(both), where=either > 0)
    return iou


def envelope_precision_scores(hits: Hits, group: Positions, truths: Any) -> Floats:
    """Each group's average precision: the mean over its true things of the best precision that still finds them.

    Lines are sorted by group and in each by falling confidence; `truths` says for group 0, 1, … how many true things
    there are. It is the area under the curve of precision over recall once precision is made non-increasing.

    >>> envelope_precision_scores(np.array([True, False, True]), np.array([0, 0, 0]), [2, 1]).round(5).tolist()
    [0.83333, 0.0]
    """
    counts = floats(truths)
    rank = _count_within(np.ones(len(hits), dtype=np.int64), group)
    precision = _count_within(hits.astype(np.int64), group) / rank
    best_after = pd.Series(precision[::-1]).groupby(group[::-1]).cummax().to_numpy()[::-1]
    return floats(np.bincount(group[hits], weights=best_after[hits], minlength=len(counts))) / counts


def _count_within(values: npt.NDArray[np.int64], group: Positions) -> npt.NDArray[np.int64]:
    """Running sums that start anew with each group."""
    total = np.cumsum(values)
    is_first = np.diff(group, prepend=-1) != 0
    before = (total - values)[is_first]
    within: npt.NDArray[np.int64] = total - before[np.cumsum(is_first) - 1]
    return within


def levels_precision_score(hits: Hits, truths: int) -> float:
    """The COCO measure: the mean, over 101 levels of recall, of the best precision that reaches them.

    Lines are in order of falling confidence.

    >>> levels_precision_score(np.array([True, False]), truths=2)
    0.5049504950495048
    """
    found = np.cumsum(hits)
    recall = found / truths
    precision = found / (np.arange(1, len(hits) + 1) + np.spacing(1))
    best_after = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    return float(best_after[np.searchsorted(recall, LEVELS, side="left")].mean())
