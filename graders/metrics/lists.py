"""Ranked lists of guesses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np


def average_precision_at_score(
    truth: Iterable[Collection[str]], predicted: Iterable[Sequence[str]], *, most: int
) -> float:
    """MAP@k: the mean over cases of the precision at each hit among the first `most` guesses.

    A case's sum is divided by the number of its right answers, at most `most`. A repeated guess takes up its place
    and is no hit.

    >>> average_precision_at_score([{"a"}, {"a", "b"}], [["x", "a"], ["b", "x", "a"]], most=5)
    0.6666666666666666
    """
    return float(np.mean([_average_precision(set(t), p[:most], most) for t, p in zip(truth, predicted, strict=True)]))


def _average_precision(right: set[str], guesses: Sequence[str], most: int) -> float:
    if right.isdisjoint(guesses):
        return 0.0
    hits, total, best = 0, 0.0, min(len(right), most)
    for place, guess in enumerate(guesses, start=1):
        if guess in right:
            right.remove(guess)
            hits += 1
            total += hits / place
    return total / best
