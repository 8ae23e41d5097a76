"""Overlap of two areas, from how many pixels are in the one, in the other and in both."""

from __future__ import annotations


def dice_score(true: float, predicted: float, both: float, *, both_empty: float) -> float:
    """Twice the common area by the sum of the areas; `both_empty` where there is none.

    >>> dice_score(6, 4, 3, both_empty=1)
    0.6
    """
    return 2 * both / (true + predicted) if true + predicted else both_empty


def f_beta_score(true: float, predicted: float, both: float, *, beta: float) -> float:
    """F-beta of the pixels: below 1, `beta` favours precision; 0 without a common pixel.

    >>> f_beta_score(6, 4, 3, beta=0.5)
    0.6818181818181818
    """
    weight = beta**2
    return (1 + weight) * both / (weight * true + predicted) if both else 0.0
