"""Exact tests for paired differences: no random numbers, the same answer every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm


def sign_flip_p(differences: Sequence[Fraction]) -> float:
    """Two-sided p-value of the sum of paired differences, had each difference been as likely with the other sign.

    All 2^n assignments of signs are counted, not sampled: sums are whole numbers over a common denominator, so equal
    sums fall together and seventy-five competitions take milliseconds.

    >>> sign_flip_p([Fraction(1)] * 3)
    0.25
    """
    numbers = [value for value in differences if value]
    scale = lcm(*(value.denominator for value in numbers))
    sizes = [abs(int(value * scale)) for value in numbers]
    observed = abs(sum(int(value * scale) for value in numbers))
    ways: Counter[int] = Counter({0: 1})
    for size in sizes:
        flipped: Counter[int] = Counter()
        for total, count in ways.items():
            flipped[total + size] += count
            flipped[total - size] += count
        ways = flipped
    as_extreme = sum(count for total, count in ways.items() if abs(total) >= observed)
    return as_extreme / (1 << len(sizes))


def sign_test_p(wins: int, losses: int) -> float:
    """Two-sided p-value of so many wins against so many losses, had each been as likely; ties are left out.

    >>> sign_test_p(5, 0)
    0.0625
    """
    total = wins + losses
    tail = sum(comb(total, k) for k in range(min(wins, losses) + 1))
    return min(1.0, 2 * tail / (1 << total))
