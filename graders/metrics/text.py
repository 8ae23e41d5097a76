"""Distance between texts, or any sequences: how many items must be inserted, deleted or replaced."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from graders.metrics.textblocks import LONGEST, block_distances


def edit_distance(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> int:
    """Levenshtein's distance of two sequences.

    Myers' and Hyyrö's bit-parallel form: a whole column of the usual table is one integer, so a text of length n costs
    n steps whatever the other's length.

    >>> edit_distance("kitten", "sitting")
    3
    """
    if len(truth) < len(predicted):
        truth, predicted = predicted, truth
    if not predicted:
        return len(truth)
    where: dict[Hashable, int] = {}
    for place, item in enumerate(predicted):
        where[item] = where.get(item, 0) | 1 << place
    every, last = (1 << len(predicted)) - 1, 1 << (len(predicted) - 1)
    rises, falls, distance = every, 0, len(predicted)
    for item in truth:
        equal = where.get(item, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
        rise, fall = falls | ~(diagonal | rises) & every, rises & diagonal
        distance += bool(rise & last) - bool(fall & last)
        rise, fall = (rise << 1 | 1) & every, (fall << 1) & every
        rises, falls = fall | ~(diagonal | rise) & every, rise & diagonal
    return distance


def mean_edit_distance(truth: Sequence[str], predicted: Sequence[str]) -> float:
    """The mean of the distances of very many texts.

    >>> mean_edit_distance(["abc", ""], ["abd", "xy"])
    1.5
    """
    differ = [(t, p) for t, p in zip(truth, predicted, strict=True) if t != p]
    short = [(t, p) for t, p in differ if max(len(t), len(p)) <= LONGEST]
    total = int(block_distances([t for t, _ in short], [p for _, p in short]).sum())
    total += sum(edit_distance(t, p) for t, p in differ if max(len(t), len(p)) > LONGEST)
    return total / len(truth)
