"""Putting files into a folder without ever leaving it: folders are entered one by one and links are not followed.

Helper processes use this, so it imports little (see `helper.py`).
"""

from __future__ import annotations

import os
import stat

from orchestrator.storage.descend import FOLDER, step_into

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

FILE_MODE = 0o444
FOLDER_MODE = 0o755
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Place:
    """A folder to put files into, for one thread. The last file's folder stays open for the next."""

    def __init__(self, root: str) -> None:
        self.root = os.open(root, FOLDER)
        self.folder = ""
        self.opened = self.root
        self.needs_chmod: bool | None = None

    def write(self, path: str, content: memoryview) -> None:
        """Make a read-only file of this content."""
        file = self.create(path)
        try:
            written = os.write(file, content)
            while written < len(content):
                written += os.write(file, content[written:])
        finally:
            os.close(file)

    def create(self, path: str) -> int:
        """A new read-only file, open for writing; one that is there is removed first."""
        folder, _, name = path.rpartition("/")
        if folder != self.folder:
            self.enter(folder)
        try:
            file = os.open(name, NEW, FILE_MODE, dir_fd=self.opened)
        except FileExistsError:
            os.unlink(name, dir_fd=self.opened)
            file = os.open(name, NEW, FILE_MODE, dir_fd=self.opened)
        if self.needs_chmod is None:
            self.needs_chmod = stat.S_IMODE(os.fstat(file).st_mode) != FILE_MODE
        if self.needs_chmod:
            os.fchmod(file, FILE_MODE)
        return file

    def open(self, path: str) -> int:
        """A file that is there, open for reading."""
        folder, _, name = path.rpartition("/")
        if folder != self.folder:
            self.enter(folder)
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self.opened)

    def remove(self, path: str) -> None:
        """Remove a file; fine if it is not there."""
        folder, _, name = path.rpartition("/")
        if folder != self.folder:
            self.enter(folder)
        try:
            os.unlink(name, dir_fd=self.opened)
        except FileNotFoundError:
            return

    def enter(self, folder: str) -> None:
        """Go to a folder, making it and those above it."""
        opened = os.dup(self.root)
        for part in folder.split("/") if folder else ():
            try:
                inner = enter_or_make(opened, part)
            finally:
                os.close(opened)
            opened = inner
        self.leave()
        self.folder, self.opened = folder, opened

    def leave(self) -> None:
        if self.opened != self.root:
            os.close(self.opened)
        self.folder, self.opened = "", self.root

    def __enter__(self) -> Place:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.leave()
        os.close(self.root)


def make_folder(folder: int, name: str) -> None:
    """Make a folder, unless another helper was quicker."""
    try:
        os.mkdir(name, FOLDER_MODE, dir_fd=folder)
    except FileExistsError:
        return


def enter_or_make(folder: int, name: str) -> int:
    try:
        return step_into(folder, name)
    except FileNotFoundError:
        make_folder(folder, name)
    inner = step_into(folder, name)
    if stat.S_IMODE(os.fstat(inner).st_mode) != FOLDER_MODE:
        os.fchmod(inner, FOLDER_MODE)
    return inner
