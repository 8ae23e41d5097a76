"""A folder to read from. Files are delivered as hard links, so that hundreds of gigabytes are not copied."""

from __future__ import annotations

import errno
import glob
import os
import shutil
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from preparers.errors import PreparationError
from preparers.toolkit.archives import ZipOrigin, unpack
from preparers.toolkit.names import check_inside, tell
from preparers.toolkit.origin import Origin, Pairs

CANNOT_LINK = {errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS}
"""Another file system, one without links, a file that is not ours, or one with too many links already: copy instead."""


class Source(Origin):
    """The files below a folder. `scratch` is where archives are unpacked that can't be read in place."""

    def __init__(self, folder: Path, scratch: Path | None = None) -> None:
        self.folder = folder
        self._scratch = scratch

    def path(self, name: str) -> Path:
        """Where a file or folder is, for a library that wants a path; `PreparationError` if it is not there."""
        path = self.folder / name
        if not path.exists():
            raise PreparationError(f"{path} is missing: raw files are expected as Kaggle delivers them.")
        return path

    def has(self, name: str) -> bool:
        """Whether there is a file or folder of that name."""
        return (self.folder / name).exists()

    def within(self, name: str) -> Source:
        """A folder in this one as a source of its own."""
        return Source(self.path(name), self._scratch)

    def open(self, name: str) -> IO[bytes]:
        try:
            return (self.folder / name).open("rb")
        except FileNotFoundError:
            return self.path(name).open("rb")  # which tells that it is missing

    def array(self, name: str) -> npt.NDArray[Any]:
        """A numpy array, mapped and not read: rows can be taken from one that is larger than memory."""
        array: npt.NDArray[Any] = np.load(self.path(name), mmap_mode="r", allow_pickle=False)
        return array

    def names(self, pattern: str = "**") -> list[str]:
        return [name for name in self._matches(pattern) if (self.folder / name).is_file()]

    def folders(self, pattern: str = "*") -> list[str]:
        """Names of the folders that match, sorted as text."""
        return [name for name in self._matches(pattern) if (self.folder / name).is_dir()]

    def _matches(self, pattern: str) -> list[str]:
        # Path.glob takes several times as long in a folder of a million files
        return sorted(glob.iglob(pattern, root_dir=self.folder, recursive=True, include_hidden=True))  # noqa: PTH207

    def unpack(self, name: str) -> Origin:
        """The contents of a zip, 7z or tar archive. A zip is read in place; the others are unpacked into scratch."""
        if self._scratch is None:
            raise ValueError(f"{self.folder} was opened without a place to unpack archives")
        archive = self.path(name)
        if ZipOrigin.can_read(archive):
            return ZipOrigin(archive)
        into = self._scratch / "unpacked" / name
        if not into.exists():
            unpack(archive, into)
        return Source(into, self._scratch)

    def deliver(self, pairs: Pairs, folder: Path) -> None:
        missing: list[str] = []
        made: set[str] = set()
        here = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        there = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for target, source in pairs:
                check_inside(target)
                parent = target.rpartition("/")[0]
                if parent not in made:
                    (folder / parent).mkdir(parents=True, exist_ok=True)
                    made.add(parent)
                try:
                    # With descriptors a symbolic link in raw is followed; without, it would be linked itself.
                    os.link(source, target, src_dir_fd=here, dst_dir_fd=there)
                except FileNotFoundError:
                    missing.append(source)
                except FileExistsError:
                    raise PreparationError(f"Two files are to become {target}; the second is {source}.") from None
                except OSError as error:
                    if error.errno not in CANNOT_LINK:
                        raise
                    shutil.copyfile(self.folder / source, folder / target)
        finally:
            os.close(here)
            os.close(there)
        if missing:
            raise PreparationError(f"{len(missing):,} files are missing in {self.folder}: {tell(missing)}.")
