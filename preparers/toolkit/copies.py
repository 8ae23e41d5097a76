"""Files with the same bytes under other names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from preparers.toolkit.source import Source

HEAD_BYTES = 1 << 12


def find_copies(source: Source, files: Iterable[str], *, of: Iterable[str]) -> set[str]:
    """Those of the files that have the very bytes of a file in `of`. Names that are in `of`, too, are not returned.

    Only files of the same size and the same beginning are read to the end.
    """
    originals = set(of)
    others = {name for name in files if name not in originals}
    marks: tuple[Callable[[Path], Any], ...] = (_size, _head, _digest)
    for mark in marks:
        marked, known = ({name: mark(source.path(name)) for name in names} for names in (others, originals))
        shared = set(marked.values()) & set(known.values())
        others = {name for name in others if marked[name] in shared}
        originals = {name for name in originals if known[name] in shared}
    return others


def _size(path: Path) -> int:
    return path.stat().st_size


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.sha256(file.read(HEAD_BYTES)).digest()


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
