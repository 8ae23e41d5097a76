"""Pictures as numbers: a small thumbnail's pixels, which is little, but far better than nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from baseline.metrics import Matrix

SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif", ".webp"}
SIDE = 16
"""Thumbnails are at most this wide and high."""


@dataclass(frozen=True)
class Album:
    """The pictures of a data folder, by file name with and without its ending."""

    paths: tuple[Path, ...]
    root: Path

    def of_part(self, part: str) -> dict[str, Path]:
        """Pictures by name, those in folders of that part (`train` or `test`) before those in folders of neither."""
        own = [path for path in self.paths if part in self._folder(path)]
        common = [path for path in self.paths if not {"train", "test"} & self._parts(path)]
        return {key: path for path in [*common, *own] for key in self._keys(path)}

    def by_class(self) -> list[tuple[Path, str]]:
        """Training pictures sorted into a folder for each class: every picture with its folder's name."""
        rows = [(path, path.parent.name) for path in self.paths if "train" in self._folder(path.parent)]
        return rows if len({label for _, label in rows}) > 1 else []

    def _folder(self, path: Path) -> str:
        return str(path.parent.relative_to(self.root)).lower() if path.parent != self.root else ""

    def _parts(self, path: Path) -> set[str]:
        return {part for part in ("train", "test") if part in self._folder(path)}

    def _keys(self, path: Path) -> tuple[str, str, str]:
        return path.stem, path.name, str(path.relative_to(self.root))


def find_all(names: Iterable[object], pictures: Mapping[str, Path]) -> list[Path]:
    """A picture for each name; nothing at all if any name has none."""
    found = []
    for name in names:
        picture = pictures.get(str(name))
        if picture is None:
            return []
        found.append(picture)
    return found


def open_album(data: Path) -> Album:
    """Every picture below the data folder."""
    paths = [
        Path(folder, name)
        for folder, _, names in sorted(os.walk(data))
        for name in sorted(names)
        if PurePath(name).suffix.lower() in SUFFIXES
    ]
    return Album(tuple(paths), data)


def as_pixels(paths: Sequence[Path]) -> Matrix | None:
    """A row for each picture: a thumbnail's grey values and, where pictures have colours, their means and spreads.

    All thumbnails are made like the first, so that a column means the same place in every picture. One that can't be
    read is a row of gaps; None if that goes for all.
    """
    shape = next((shape for path in paths if (shape := _shape(path))), None)
    if shape is None:
        return None
    rows = [_pixels(path, *shape) for path in paths]
    width = next(len(row) for row in rows if row is not None)
    return np.array([np.full(width, np.nan) if row is None else row for row in rows], dtype=np.float64) / 255


def _shape(path: Path) -> tuple[tuple[int, int], bool] | None:
    """Size of the thumbnail of a picture and whether it is grey; None if it can't be read."""
    from PIL import Image

    try:
        with Image.open(path) as picture:
            return (min(SIDE, picture.width), min(SIDE, picture.height)), picture.mode in ("1", "L")
    except (OSError, ValueError):
        return None


def _pixels(path: Path, size: tuple[int, int], is_grey: bool) -> Matrix | None:
    from PIL import Image

    try:
        with Image.open(path) as picture:
            picture.draft(picture.mode, (2 * SIDE, 2 * SIDE))
            small = picture.convert("L" if is_grey else "RGB")
    except (OSError, ValueError):
        return None
    small = small.resize(size, Image.Resampling.BOX) if small.size != size else small
    grey = np.asarray(small.convert("L"), dtype=np.float64).ravel()
    if is_grey:
        return grey
    colours = np.asarray(small, dtype=np.float64).reshape(-1, 3)
    row: Matrix = np.concatenate([grey, colours.mean(axis=0), colours.std(axis=0)])
    return row
