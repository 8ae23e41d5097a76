"""bases.lock: the one place that says which images ours are built on."""

from __future__ import annotations

import re
from pathlib import Path

from images.engines import Engine
from images.errors import ImagesError

LOCK = Path(__file__).parent / "bases.lock"
DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")


def read(name: str, lock: Path = LOCK) -> str:
    """What the name stands for: a tag, with its digest once that is known."""
    for line in lock.read_text().splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == name:
            return words[1]
    raise ImagesError(f"{lock} has no line for {name}; write one: {name}   REGISTRY/IMAGE:TAG")


def pinned(name: str, lock: Path = LOCK) -> str:
    """The same, for a release: not without a digest."""
    reference = read(name, lock)
    if not DIGEST.search(reference):
        raise ImagesError(
            f"{reference} has no digest in {lock.name}, so nobody could say what a release was built on. "
            "Run `make images` once where the registry can be reached, look at the line that it writes, and commit it."
        )
    return reference


def pin(name: str, engine: Engine, lock: Path = LOCK) -> str:
    """The same; a digest that is not known yet is asked of the registry and written down."""
    reference = read(name, lock)
    if DIGEST.search(reference):
        return reference
    digest = engine.digest_of(reference)
    found = f"{reference}@{digest}"
    if not DIGEST.search(found):
        raise ImagesError(f"The registry gave no digest for {reference}, but {digest!r}.")
    text = lock.read_text()
    lock.write_text(re.sub(rf"(?m)^({re.escape(name)}\s+){re.escape(reference)}$", rf"\g<1>{found}", text))
    return found
