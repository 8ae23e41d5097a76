"""What tests of all competitions at once share: their raw files side by side, and digests of what was prepared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

HALVES = ("public", "private")

Digests = dict[str, str]
"""SHA-256 of files, by `public/<path>` or `private/<path>`."""


def gather_raw(made: Iterable[Any], folder: Path) -> Path:
    """A folder that has the raw files of each competition in <id>/, as `mlectl prepare --raw` wants them."""
    folder.mkdir()
    for one in made:
        (folder / one.id).symlink_to(one.raw, target_is_directory=True)
    return folder


def digests(folder: Path) -> Digests:
    """Of every file below <folder>/public and <folder>/private, an archive's own bytes and not its members'."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for half in HALVES
        for path in (folder / half).rglob("*")
        if path.is_file()
    }


def differences(made: dict[str, Any], other: Callable[[str], Digests]) -> dict[str, list[str]]:
    """By competition, the files that `made` and the other one do not both have, or not with the same bytes."""
    found = {}
    for competition, one in made.items():
        ours, theirs = digests(one.public.parent), other(competition)
        assert ours
        if ours != theirs:
            found[competition] = sorted(name for name in ours | theirs if ours.get(name) != theirs.get(name))
    return found
