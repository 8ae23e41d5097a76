"""What can go wrong between a name and a competition's facts.

CatalogError
├── UnknownCompetition   no competition has that id
├── UnknownSplit         no split has that name
└── BadFacts             a competition's folder says something that can't be right
"""

from collections.abc import Sequence


class CatalogError(Exception):
    """The catalog can't answer; the message says why and what to do."""


class UnknownCompetition(CatalogError, LookupError):
    """No competition has the id that was asked for; `nearest` holds the ids that look like it, closest first."""

    def __init__(self, name: str, nearest: Sequence[str], problems: Sequence[str] = ()) -> None:
        self.name = name
        self.nearest = tuple(nearest)
        hint = f"did you mean {_either(self.nearest)}?" if nearest else "`mlectl competitions` lists those there are."
        super().__init__(" ".join([f"No competition is called {name!r}: {hint}", *problems]))


class UnknownSplit(CatalogError, LookupError):
    """No split has the name that was asked for."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        self.name = name
        super().__init__(f"No split is called {name!r}: write {_either(known)}.")


class BadFacts(CatalogError, ValueError):
    """A competition's folder lacks something or contradicts itself; the message names file and key."""


def _either(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
