"""How far a predicted order is from the true one."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Sequence

Orders = Sequence[Sequence[Hashable]]


def kendall_score(truth: Orders, predicted: Orders) -> float:
    """Kendall's tau over all lists together: 1 where all are in order, -1 where all are reversed.

    Each predicted list has the items of the true one. Longer lists weigh more, as what counts is pairs of items. Not
    defined where no list has two items.

    >>> kendall_score(["abc", "xy"], ["acb", "xy"])
    0.5
    """
    pairs = sum(len(order) * (len(order) - 1) for order in truth)
    return 1 - 4 * sum(map(inversions, truth, predicted)) / pairs


def inversions(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> int:
    """How many pairs of items are in the other order."""
    place_of = {item: place for place, item in enumerate(truth)}
    count = 0
    before: list[int] = []
    for place in map(place_of.__getitem__, predicted):
        count += len(before) - bisect_right(before, place)
        insort(before, place)
    return count
