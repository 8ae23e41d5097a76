"""What mkdocs does for us beside its own work.

The navigation in mkdocs.yml may name pages by a pattern, so that a new runbook needs no line there. Names of tests may
be broken between their words, so that a table of them can be read. The index of the search is there as a script too: a
page that is opened from disk asks for that one, and does without the rest of its own script if it is missing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def on_config(config: Any) -> Any:
    config.nav = spelled_out(config.nav, Path(config.docs_dir))
    return config


def on_page_content(html: str, **_: Any) -> str:
    return re.sub(r"<code>tests/[^<]+</code>", lambda found: re.sub(r"(::|_)", r"\1<wbr>", found[0]), html)


def on_post_build(config: Any) -> None:
    folder = Path(config.site_dir) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index}", encoding="utf-8")


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
