"""Competitions from installed packages, by the entry point group `mlectl.competitions`.

A package names a function that returns its competitions, each made by `from_folder`:

    # pyproject.toml
    [project.entry-points."mlectl.competitions"]
    tides = "tides:competitions"

    # tides/__init__.py, beside tides/tide-heights/facts.toml and description.md
    def competitions():
        folder = Path(__file__).parent / "tide-heights"
        return [from_folder(folder, preparer="tides.heights:prepare", grader="tides.heights:score")]

A package that can't be used is left out with one sentence that says so; nothing else suffers from it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType

from catalog.competition import Competition
from catalog.errors import CatalogError
from catalog.index import official

GROUP = "mlectl.competitions"
log = logging.getLogger("mlectl.catalog")


@dataclass(frozen=True)
class Plugins:
    """What the installed packages brought."""

    competitions: Mapping[str, Competition]
    problems: tuple[str, ...]
    """A sentence for each package that could not be used, wholly or in part."""


def from_folder(folder: Path, *, preparer: str, grader: str, fetch: str | None = None) -> Competition:
    """A competition of a plug-in's own, described by a folder laid out like the official ones (see `catalog.folder`).

    `preparer`, `grader` and `fetch` are import paths, `module:function`. `fetch` writes the raw files into a folder;
    without it they are downloaded from Kaggle by the competition's id.
    """
    from catalog.folder import read_folder

    return read_folder(folder, preparer=preparer, grader=grader, fetch=fetch)


@cache
def installed() -> Plugins:
    """Competitions of all installed packages. Looked up once; problems are logged then."""
    found: dict[str, Competition] = {}
    problems: list[str] = []
    taken = {name.lower(): "the benchmark itself" for name in official()}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (_package(entry), entry.name)):
        try:
            competitions = _competitions_of(entry)
        except Exception as error:  # noqa: BLE001 - somebody else's code: whatever it raises, it must not take others down
            problems.append(_broken(entry, error))
            continue
        for competition in competitions:
            owner = taken.setdefault(competition.id.lower(), _package(entry))
            if competition.id in found or owner != _package(entry):
                problems.append(_clash(entry, competition.id, owner))
            else:
                found[competition.id] = competition
    for problem in problems:
        log.warning(problem)
    return Plugins(MappingProxyType(found), tuple(problems))


def _competitions_of(entry: EntryPoint) -> list[Competition]:
    given: Iterable[Competition] = entry.load()()
    competitions = list(given)
    for competition in competitions:
        if not isinstance(competition, Competition):
            raise TypeError(f"it returned {competition!r}, which is not a catalog.Competition")
    return competitions


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module


def _broken(entry: EntryPoint, error: Exception) -> str:
    reason = str(error) if isinstance(error, CatalogError) else f"{type(error).__name__}: {error}"
    return (
        f"The competitions of package {_package(entry)} are left out, because its entry point "
        f"{entry.name} = {entry.value!r} failed ({reason.rstrip('.')}): repair the package or uninstall it."
    )


def _clash(entry: EntryPoint, name: str, owner: str) -> str:
    return (
        f"The competition {name!r} of package {_package(entry)} is left out, because {owner} has one of that name: "
        "rename its folder, or uninstall the package."
    )
