"""Lets the navigation in mkdocs.yml name pages by a pattern, so that a new runbook needs no line there."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    config.nav = spelled_out(config.nav, Path(config.docs_dir))
    return config


def spelled_out(items: list[Any], folder: Path) -> list[Any]:
    """The navigation with the pages that are there in the place of patterns. A section without pages is left out."""
    found: list[Any] = []
    for item in items:
        match item:
            case str() if "*" in item:
                found += pages(item, folder)
            case dict():
                ((title, inside),) = item.items()
                if isinstance(inside, str) and "*" in inside:
                    inside = pages(inside, folder)
                elif isinstance(inside, list):
                    inside = spelled_out(inside, folder)
                found += [{title: inside}] if inside else []
            case _:
                found.append(item)
    return found


def pages(pattern: str, folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern))
