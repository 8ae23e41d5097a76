"""Files with the same bytes under other names."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from preparers.toolkit.source import Source


def find_copies(source: Source, files: Iterable[str], *, of: Iterable[str]) -> set[str]:
    """Those of the files that have the very bytes of a file in `of`. Only files of a size in question are read.

    A file is no copy of itself: names that are in `of`, too, are not returned.
    """
    originals = set(of)
    others = {name for name in files if name not in originals}
    sizes = {name: source.path(name).stat().st_size for name in originals | others}
    in_question = {sizes[name] for name in originals} & {sizes[name] for name in others}
    known = {_digest(source, name) for name in originals if sizes[name] in in_question}
    return {name for name in others if sizes[name] in in_question and _digest(source, name) in known}


def number_contents(source: Source, files: Sequence[str]) -> list[int]:
    """A number for each file, the same for files with the same bytes: to keep copies on one side of a split.

    Only files that share their size with another one are read.
    """
    sizes = [source.path(name).stat().st_size for name in files]
    often = Counter(sizes)
    contents = [
        (size, _digest(source, name) if often[size] > 1 else b"") for size, name in zip(sizes, files, strict=True)
    ]
    numbers = {content: number for number, content in enumerate(dict.fromkeys(contents))}
    return [numbers[content] for content in contents]


def _digest(source: Source, name: str) -> bytes:
    with source.path(name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
