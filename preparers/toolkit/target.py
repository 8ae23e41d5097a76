"""A folder to write to: tables, JSON, arrays, files taken from elsewhere, archives. Bytes are the same every time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from preparers.toolkit.archives import ArchiveKind, write_archive
from preparers.toolkit.csvfiles import write_csv
from preparers.toolkit.names import check_inside, expand
from preparers.toolkit.origin import Origin, Pairs
from preparers.toolkit.source import Source


class Target:
    """A folder to write to. Files are taken from `origin`, the raw folder, unless a call names another."""

    def __init__(self, folder: Path, origin: Source) -> None:
        self.contents = Source(folder)
        """What was written so far, as an origin of other files: `pack("a.zip", "a.csv", origin=scratch.contents)`."""
        self.folder = folder
        self._origin = origin

    def path(self, name: str) -> Path:
        """Where a new file goes, its folder made, for a library that wants a path."""
        check_inside(name)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def make_folder(self, name: str) -> None:
        """Make a folder that may stay empty."""
        check_inside(name)
        (self.folder / name).mkdir(parents=True, exist_ok=True)

    def csv(self, name: str, frame: pd.DataFrame, **options: Any) -> None:
        """Write a table without its index; options are those of `DataFrame.to_csv`."""
        write_csv(self.path(name), frame, **options)

    def parquet(self, name: str, frame: pd.DataFrame) -> None:
        """Write a parquet table without its index."""
        frame.to_parquet(self.path(name), index=False)

    def text(self, name: str, text: str) -> None:
        """Write a text as UTF-8, its line ends as they are."""
        self.path(name).write_bytes(text.encode())

    def json(self, name: str, document: Any, **options: Any) -> None:
        """Write a JSON document as `json.dump` does, with its options: one line, ASCII, no newline at the end."""
        self.text(name, json.dumps(document, **options))  # json.dump itself takes five times as long

    def jsonl(self, name: str, documents: Iterable[Any], **options: Any) -> None:
        """Write JSON lines as they come: the file may be larger than memory."""
        with self.path(name).open("w", encoding="utf-8", newline="") as file:
            for document in documents:
                file.write(json.dumps(document, **options) + "\n")

    def array(self, name: str, array: npt.NDArray[Any]) -> None:
        """Write a numpy array."""
        np.save(self.path(name), array, allow_pickle=False)

    def files(self, name: str, rows: pd.DataFrame, source: str, *, origin: Origin | None = None) -> None:
        """A file for each row, both names with columns in braces: `files("test/{id}.jpg", test, "train/{id}.jpg")`."""
        self.make_folder(name.partition("{")[0].rpartition("/")[0])
        self.take(zip(expand(name, rows), expand(source, rows), strict=True), origin=origin)

    def copy(self, name: str, source: str | None = None, *, origin: Origin | None = None) -> None:
        """One file, byte for byte, under its own name or another."""
        self.take([(name, source or name)], origin=origin)

    def take(self, pairs: Pairs, *, origin: Origin | None = None) -> None:
        """Files by pairs of names: the new one, then that in the origin."""
        (origin or self._origin).deliver(pairs, self.folder)

    def tree(
        self, name: str, source: str | None = None, *, origin: Source | None = None, without: Sequence[str] = ()
    ) -> None:
        """A whole folder with all that is below it, empty folders too, but no files whose names match `without`."""
        whole = (origin or self._origin).within(source or name)
        root = str(whole.folder)
        pairs = []
        for folder, folders, files in os.walk(root, followlinks=True):
            below = folder[len(root) :].lstrip("/") + "/" if folder != root else ""
            kept = [file for file in files if not any(fnmatchcase(file, pattern) for pattern in without)]
            if not kept and not folders:
                self.make_folder(f"{name}/{below}")
            pairs += [(f"{name}/{below}{file}", f"{below}{file}") for file in kept]
        self.take(pairs, origin=whole)

    def zip(self, name: str, rows: pd.DataFrame, member: str, source: str, *, origin: Origin | None = None) -> None:
        """A zip archive with a member for each row: `zip("test.zip", test, "{id}.jpg", "train/{id}.jpg")`."""
        self.archive(name, zip(expand(member, rows), expand(source, rows), strict=True), origin=origin)

    def pack(self, name: str, *files: str, origin: Origin | None = None, compress: bool = True) -> None:
        """An archive of a few files under their own names; its kind is told by the name's ending."""
        self.archive(name, [(file, file) for file in files], origin=origin, compress=compress)

    def archive(
        self,
        name: str,
        members: Pairs,
        *,
        origin: Origin | None = None,
        kind: ArchiveKind | None = None,
        compress: bool = True,
    ) -> None:
        """An archive of files by pairs of names, the member's and that in the origin, written in order of name.

        The name's ending tells the kind (zip, 7z or tar) unless it is given. Tar archives are never compressed.
        """
        write_archive(self.path(name), sorted(members), origin or self._origin, kind=kind, compress=compress)
