"""A store in a folder of this machine: an object is a file, its key the path below the root.

Folders are walked one by one from the root without following symbolic links, so no key and no planted link leads out.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO, Literal, cast

from orchestrator.storage.blocks import blocks_of
from orchestrator.storage.descend import FOLDER, step_into
from orchestrator.storage.drafts import Draft, folder_of, is_draft
from orchestrator.storage.explain import explaining
from orchestrator.storage.keys import checked, checked_prefix
from orchestrator.storage.store import ObjectInfo, StoreError

BUFFER = 1 << 20
ABSENT = (errno.ENOENT, errno.ENOTDIR)


class FileStore:
    """Objects as files below a root folder, which is made by the first write."""

    at_once = 1

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.url = self.root.as_uri()

    def __repr__(self) -> str:
        return f"FileStore({str(self.root)!r})"

    def read(self, key: str) -> bytes | None:
        with explaining(f"read {key!r} in {self.url}"):
            file = self._find(key)
            if file is None:
                return None
            with os.fdopen(file, "rb") as stream:
                return stream.read()

    def open(self, key: str, *, offset: int = 0) -> IO[bytes]:
        with explaining(f"read {key!r} in {self.url}"):
            file = self._find(key)
            if file is None:
                raise StoreError(f"There is no object {key!r} in {self.url}; check the key, or make it first.")
            stream = os.fdopen(file, "rb", buffering=BUFFER)
            stream.seek(offset)
            return stream

    def stat(self, key: str) -> ObjectInfo | None:
        with explaining(f"look at {key!r} in {self.url}"):
            file = self._find(key)
            if file is None:
                return None
            try:
                return ObjectInfo(key, os.fstat(file).st_size)
            finally:
                os.close(file)

    def write(self, key: str, data: bytes) -> None:
        with self.draft(key) as draft:
            draft.write(data)
            draft.replace()

    def write_new(self, key: str, data: bytes) -> bool:
        with self.draft(key) as draft:
            draft.write(data)
            return draft.place()

    def upload(self, key: str, source: Path) -> None:
        with explaining(f"read {source}"):
            stream = source.open("rb", buffering=0)
        with stream:
            self.upload_stream(key, cast(IO[bytes], stream))

    def upload_stream(self, key: str, source: IO[bytes]) -> int:
        with self.draft(key) as draft:
            for block in blocks_of(source):
                draft.write(block)
            draft.replace()
            return draft.size

    def download(self, key: str, target: Path) -> None:
        with self.open(key) as source:
            write_stream(target, source, f"copy {key!r} from {self.url} to {target}")

    def keys(self, prefix: str) -> Iterator[str]:
        start, _, name_start = checked_prefix(prefix).rpartition("/")
        with explaining(f"list {prefix!r} in {self.url}"):
            try:
                folder = self._folder(start.split("/") if start else [])
            except OSError as error:
                if error.errno in ABSENT:
                    return
                raise
            yield from walk(folder, prefix.removesuffix(name_start), name_start)

    def delete(self, key: str) -> None:
        with explaining(f"delete {key!r} in {self.url}"), suppress(FileNotFoundError, NotADirectoryError):
            with self._parent(key) as (folder, name), suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            self._prune(key)

    def presign(self, key: str, method: Literal["GET", "PUT"], expires: timedelta) -> str:
        """The file's own URL: whoever may open the file may use it, so neither method nor expiry hold here."""
        return (self.root / checked(key)).as_uri()

    def _find(self, key: str) -> int | None:
        """The object's file, open for reading; None if there is no plain file of that name."""
        try:
            with self._parent(key) as (folder, name):
                file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise
        if stat.S_ISREG(os.fstat(file).st_mode):
            return file
        os.close(file)
        return None

    @contextmanager
    def draft(self, key: str) -> Iterator[Draft]:
        """A draft of the object, which becomes the object when it is replaced or placed.

        Made again should somebody prune its folder at that moment.
        """
        checked(key)
        with explaining(f"write {key!r} in {self.url}"):
            while True:
                self.root.mkdir(parents=True, exist_ok=True)
                with self._parent(key, make=True) as (folder, name):
                    try:
                        draft = Draft.create(folder, name)
                    except FileNotFoundError:
                        continue
                    with draft:
                        yield draft
                    return

    @contextmanager
    def _parent(self, key: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The folder that an object's file belongs in, and the file's name there."""
        *folders, name = checked(key).split("/")
        folder = self._folder(folders, make=make)
        try:
            yield folder, name
        finally:
            os.close(folder)

    def _folder(self, parts: list[str], *, make: bool = False) -> int:
        folder = os.open(self.root, FOLDER)
        for part in parts:
            try:
                inner = enter(folder, part, make=make)
            finally:
                os.close(folder)
            folder = inner
        return folder

    def _prune(self, key: str) -> None:
        """Remove the folders that have become empty, as an object store has none."""
        *folders, _ = key.split("/")
        while folders:
            with self._parent("/".join(folders)) as (folder, name):
                try:
                    os.rmdir(name, dir_fd=folder)
                except OSError:
                    return
            folders.pop()


def write_stream(target: Path, source: IO[bytes], action: str) -> None:
    """Copy a stream into a file, atomically."""
    with explaining(action), folder_of(target) as folder, Draft.create(folder, target.name) as draft:
        for block in blocks_of(source):
            draft.write(block)
        draft.replace()


def enter(folder: int, name: str, *, make: bool) -> int:
    """A folder in an open folder, open; made, and safely on the disk, if it is missing and asked for."""
    while True:
        try:
            return step_into(folder, name)
        except FileNotFoundError:
            if not make:
                raise
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=folder)
                os.fsync(folder)


def walk(folder: int, prefix: str, name_start: str = "") -> Iterator[str]:
    """Keys of the files below an open folder, which is closed at the end, in the order of their bytes."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name)
                for entry in entries
                if entry.name.startswith(name_start) and not (is_draft(entry.name) or entry.is_symlink())
            ]
        for name in sorted(found, key=os.fsencode):
            if not name.endswith("/"):
                yield prefix + name
                continue
            with suppress(FileNotFoundError, NotADirectoryError):
                yield from walk(os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=folder), prefix + name)
    finally:
        os.close(folder)
