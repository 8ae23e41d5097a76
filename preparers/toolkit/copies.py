"""Files with the same bytes under other names."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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


def number_contents(source: Source, files: Sequence[str]) -> list[int]:
    """A number for each file, the same for files with the same bytes: to keep copies on one side of a split.

    Only files that share their size with another one are read.
    """
    sizes = [_size(source.path(name)) for name in files]
    often = Counter(sizes)
    contents = [
        (size, _digest(source.path(name)) if often[size] > 1 else b"") for size, name in zip(sizes, files, strict=True)
    ]
    numbers = {content: number for number, content in enumerate(dict.fromkeys(contents))}
    return [numbers[content] for content in contents]


def _size(path: Path) -> int:
    return path.stat().st_size


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.sha256(file.read(HEAD_BYTES)).digest()


def _digest(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
