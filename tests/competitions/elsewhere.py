"""Prepares every competition of the kit in a process of its own: `python elsewhere.py RAW OUT VERSION`.

RAW holds the raw files of each competition in <id>/; OUT gets <id>/public and <id>/private. Folders are listed in
reverse, as another file system might: what is prepared must not depend on that either.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Self

import preparers

really_scan = os.scandir


class Reversed:
    """What os.scandir gives, by names from last to first."""

    def __init__(self, *where: Any) -> None:
        with really_scan(*where) as found:
            self._entries = iter(sorted(found, key=lambda entry: entry.name, reverse=True))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> os.DirEntry[Any]:
        return next(self._entries)

    def close(self) -> None: ...


def main(raw: Path, out: Path, version: str) -> None:
    for folder in sorted(raw.iterdir()):
        target = out / folder.name
        target.mkdir(parents=True)
        preparers.prepare(folder.name, folder, target / "public", target / "private", version)


if __name__ == "__main__":
    os.umask(0o077)
    os.scandir = Reversed  # type: ignore[assignment,misc]
    os.listdir = lambda *where: [entry.name for entry in Reversed(*where)]
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
