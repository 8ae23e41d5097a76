"""Which competitions `mlectl prepare` is about, and where their raw files are. All mistakes before any work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

import catalog
from catalog import Competition
from orchestrator.cli.exits import UNREACHABLE, USAGE, Trouble
from orchestrator.cluster.local.home import Home
from orchestrator.report.words import listed


def choose_competitions(ids: Sequence[str], split: str | None, list_file: Path | None) -> list[Competition]:
    """The chosen competitions, each once; Trouble or UnknownCompetition if one is not known."""
    named = [*ids, *(catalog.ids(split) if split else ()), *(_read_list(list_file) if list_file else ())]
    if not named:
        raise Trouble("Say which competitions: -c ID, --lite, --all, --split NAME or --list FILE.", USAGE)
    return [catalog.load(name) for name in dict.fromkeys(named)]


def _read_list(path: Path) -> list[str]:
    """An id a line; blank lines and what follows a # are left out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Trouble(f"{path} can't be read as a list of ids: {error}.", USAGE) from None
    return [name for line in lines if (name := line.partition("#")[0].strip())]


def must_have_preparers(competitions: Sequence[Competition]) -> None:
    """Refuse before anything is fetched what this version of mlectl could not prepare."""
    missing = []
    for one in competitions:
        try:
            resolve_name(one.preparer)
        except (ImportError, AttributeError):
            missing.append(one.id)
    if missing:
        raise Trouble(f"This version of mlectl can't prepare {listed(missing)}; leave them out.", UNREACHABLE)


def raw_folders(home: Home, competitions: Sequence[Competition], given: Path | None) -> dict[str, Path]:
    """Where each competition's raw files are, or go: below a given folder, or in the home."""
    if given is None:
        return {one.id: home.raw(one.id) for one in competitions}
    if len(competitions) == 1 and not (given / competitions[0].id).is_dir():
        return {competitions[0].id: given}
    missing = [one.id for one in competitions if not (given / one.id).is_dir()]
    if missing:
        raise Trouble(f"{given} has no folder of raw files called {listed(missing)}.", UNREACHABLE)
    return {one.id: given / one.id for one in competitions}
