"""What a pair of cells is worth, by the textbook: for graders that go through their rows one by one."""

from __future__ import annotations

from collections.abc import Sequence


def edit_distance(first: Sequence[object], second: Sequence[object]) -> int:
    """Levenshtein's, cell by cell."""
    above = list(range(len(second) + 1))
    for row, letter in enumerate(first, start=1):
        line = [row]
        for column, other in enumerate(second, start=1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (letter != other)))
        above = line
    return above[-1]


def jaccard(first: str, second: str) -> float:
    """Of two texts' sets of words in lower case; 0 where both are empty."""
    a, b = set(first.lower().split()), set(second.lower().split())
    return len(a & b) / len(a | b) if a or b else 0.0


def average_precision(true: set[str], guesses: Sequence[str], most: int) -> float:
    """Of the first few guesses; one that is repeated counts once."""
    hits, total = 0, 0.0
    for rank, guess in enumerate(guesses[:most], start=1):
        if guess in true and guess not in guesses[: rank - 1]:
            hits += 1
            total += hits / rank
    return total / min(len(true), most)
