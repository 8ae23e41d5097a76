"""Which known ids a mistyped or half-remembered one may have meant."""

from collections.abc import Iterable
from difflib import SequenceMatcher

ENOUGH = 0.6
AT_MOST = 3


def closest(name: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known names that resemble one, closest first, whatever the case. A part of a name counts."""
    wanted = name.strip().lower()
    likeness = {candidate: _likeness(wanted, candidate.lower()) for candidate in known}
    alike = [candidate for candidate, ratio in likeness.items() if ratio >= ENOUGH]
    return sorted(alike, key=lambda candidate: (-likeness[candidate], candidate.lower()))[:AT_MOST]


def _likeness(wanted: str, candidate: str) -> float:
    """How alike two names are, 0 to 1; a stretch of the candidate from the start of a word counts nearly as much."""
    whole = _ratio(wanted, candidate)
    if len(wanted) < 3:
        return whole
    starts = [0, *(place + 1 for place, letter in enumerate(candidate) if letter == "-")]
    return max(whole, *(0.9 * _ratio(wanted, candidate[start : start + len(wanted)]) for start in starts))


def _ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b).ratio()
