"""The benchmark's facts: competitions, splits, medal lines, class lists, task texts. Imports nothing of the project.

    load("dog-breed-identification").medals.gold
    ids("lite")

Lazy throughout: importing this reads no file, a list of ids reads one index, and loading a competition reads that one's
facts.toml and no other. Plug-ins are looked up for the `demo` split, for all ids, and for ids that are not official.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from catalog import index
from catalog.competition import Checksums, Competition, Defect, MedalLines
from catalog.errors import BadFacts, CatalogError, UnknownCompetition, UnknownSplit

__all__ = [
    "BadFacts",
    "CatalogError",
    "Checksums",
    "Competition",
    "Defect",
    "MedalLines",
    "UnknownCompetition",
    "UnknownSplit",
    "ids",
    "load",
    "nearest",
    "problems",
    "splits",
]

_OFFICIAL = Path(__file__).parent / "competitions"


@cache
def load(competition_id: str) -> Competition:
    """The competition of that id, official or a plug-in's; `UnknownCompetition` names the nearest if there is none."""
    if competition_id in index.official():
        return _load_official(competition_id)
    from catalog import plugins

    installed = plugins.installed()
    if competition_id in installed.competitions:
        return installed.competitions[competition_id]
    raise UnknownCompetition(competition_id, nearest(competition_id), installed.problems)


def ids(split: str | None = None) -> tuple[str, ...]:
    """The ids of a split, or of every competition there is, sorted without regard to case."""
    names = list(index.official()) if split is None else index.official_in(split)
    if split in (None, "demo"):
        from catalog import plugins

        names += [c.id for c in plugins.installed().competitions.values() if split is None or split in c.splits]
    return tuple(sorted(names, key=str.lower))


def splits() -> tuple[str, ...]:
    """The names that `ids` takes; `lite` is another name of `low`."""
    return index.SPLITS


def nearest(name: str) -> list[str]:
    """Up to three known ids that look like the name, closest first."""
    from catalog.likeness import closest

    return closest(name, ids())


def problems() -> tuple[str, ...]:
    """A sentence for each installed package whose competitions could not be used."""
    from catalog import plugins

    return plugins.installed().problems


def _load_official(competition_id: str) -> Competition:
    from catalog.folder import read_folder

    module = competition_id.lower().replace("-", "_")
    module = f"_{module}" if module[0].isdigit() else module
    return read_folder(
        _OFFICIAL / competition_id,
        preparer=f"preparers.competitions.{module}:prepare",
        grader=f"graders.competitions.{module}:score",
        is_official=True,
    )
