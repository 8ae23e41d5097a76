"""What was measured, part by part, kept beside the checkout so that a page can be made of several sessions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from benchmarks.competitions.results import ROOT
from benchmarks.controller.figures import Figure

DEFAULT_FILE = ROOT / ".benchmarks" / "controller.json"
KEPT = TypeAdapter(dict[str, tuple[Figure, ...]])


def read(path: Path = DEFAULT_FILE) -> dict[str, tuple[Figure, ...]]:
    return KEPT.validate_json(path.read_bytes()) if path.exists() else {}


def keep(part: str, figures: Sequence[Figure], path: Path = DEFAULT_FILE) -> None:
    """The figures of a part, in place of earlier ones."""
    path.parent.mkdir(exist_ok=True)
    if path == DEFAULT_FILE:
        (path.parent / ".gitignore").write_text("*\n")
    path.write_bytes(KEPT.dump_json(read(path) | {part: tuple(figures)}, indent=1))
