"""What obvious preparers are made of: a random split, tables, and files that are copied one after the other."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import py7zr
from sklearn.model_selection import train_test_split


def split(items: Any, test_size: float = 0.1, seed: int = 0) -> Any:
    """A table's rows, or a list, as train and test part."""
    return train_test_split(items, test_size=test_size, random_state=seed)


def write(path: Path, table: pd.DataFrame, **options: Any) -> None:
    """A table without its index; the folder is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False, **options)


def write_json(path: Path, document: Any, **options: Any) -> None:
    """A JSON document; the folder is made if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        json.dump(document, file, **options)


def copy_files(names: Iterable[str | Path], source: Path, target: Path, renamed: Iterable[str] | None = None) -> None:
    """Files from one folder to another, under their own names or new ones."""
    names = list(names)
    places = [target / name for name in (names if renamed is None else renamed)]
    for folder in {place.parent for place in places}:
        folder.mkdir(parents=True, exist_ok=True)
    for name, place in zip(names, places, strict=True):
        shutil.copy(source / name, place)


def copy_folders(names: Iterable[str], source: Path, target: Path) -> None:
    """Whole folders from one folder to another."""
    for name in names:
        shutil.copytree(source / name, target / name)


@contextmanager
def unpacked(archive: Path, beside: Path) -> Iterator[Path]:
    """The contents of an archive in a folder that is gone at the end, on the file system of another one."""
    beside.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=beside.parent) as folder:
        if archive.suffix == ".7z":
            with py7zr.SevenZipFile(archive) as packed:
                packed.extractall(folder)
        else:
            shutil.unpack_archive(archive, folder)
        yield Path(folder)


def pack(archive: Path, *files: Path, compress: bool = True, keep: bool = False) -> None:
    """A zip or 7z archive of a few files at its root; the files are removed, unless they are to be kept."""
    if archive.suffix == ".7z":
        with py7zr.SevenZipFile(archive, "w") as packed:
            for file in files:
                packed.write(file, file.name)
    else:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as zipped:
            for file in files:
                zipped.write(file, file.name)
    for file in () if keep else files:
        file.unlink()
