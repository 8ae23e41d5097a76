"""Files that are being written: under a name of their own, until they take their place in one step.

A reader sees the old file or the new one. A writer that is killed leaves a draft behind; the next writer of the same
file removes it, or goes on with it where it has a tag that says what it is a part of (a half-fetched download). Whoever
writes a draft holds a lock on it, so one that can be locked belongs to nobody.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from urllib.parse import quote, unquote

from orchestrator.storage.descend import FOLDER

NAME = re.compile(r"\.[0-9a-f]{8}-[0-9a-f]{8}\.(?:(?P<tag>.*)\.)?part")
LONGEST_TAG = 160
OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def is_draft(name: str) -> bool:
    """Whether a file of this name is on its way to another name."""
    return NAME.fullmatch(name) is not None


@dataclass
class Draft:
    """A new version of the file `name` in an open folder. Leaving its `with` block removes it unless it was placed."""

    folder: int
    name: str
    own_name: str
    file: int
    size: int = 0

    @classmethod
    def create(cls, folder: int, name: str, tag: str = "") -> Draft:
        """Start from nothing, after removing what killed writers of this file have left."""
        for left in dead_drafts(folder, name):
            left.discard()
        quoted = quote(tag, safe="")
        ending = f"{quoted}.part" if quoted and len(quoted) <= LONGEST_TAG else "part"
        while True:
            own_name = f"{mark(name)}{secrets.token_hex(4)}.{ending}"
            file = os.open(own_name, OPEN | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
            if lock(file, own_name, folder):
                return cls(folder, name, own_name, file)
            os.close(file)

    @classmethod
    def take_up(cls, folder: int, name: str) -> Draft | None:
        """A tagged draft of this file that a killed writer left, to be appended to; None if there is none."""
        kept = None
        for draft in dead_drafts(folder, name):
            if kept is None and draft.tag:
                kept = draft
            else:
                draft.discard()
        return kept

    @property
    def tag(self) -> str:
        match = NAME.fullmatch(self.own_name)
        return unquote(match["tag"] or "") if match else ""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Append, all of it."""
        view = memoryview(data)
        while view:
            written = os.write(self.file, view)
            self.size += written
            view = view[written:]

    def replace(self) -> None:
        """Take the file's place, whatever is there, once every byte is on the disk."""
        os.fsync(self.file)
        os.rename(self.own_name, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        self.leave()
        os.fsync(self.folder)

    def place(self) -> bool:
        """Take the file's place if it is free; False, and nothing changed, if not."""
        os.fsync(self.file)
        try:
            os.link(self.own_name, self.name, src_dir_fd=self.folder, dst_dir_fd=self.folder, follow_symlinks=False)
        except FileExistsError:
            return False
        self.discard()
        os.fsync(self.folder)
        return True

    def discard(self) -> None:
        """Remove the draft; harmless once it has taken its place."""
        if self.file >= 0:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.own_name, dir_fd=self.folder)
            self.leave()

    def leave(self) -> None:
        """Let go of the draft, so that a later writer can take it up."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.discard()


def mark(name: str) -> str:
    """How the names of all drafts of a file start."""
    return f".{hashlib.blake2s(os.fsencode(name), digest_size=4).hexdigest()}-"


def dead_drafts(folder: int, name: str) -> Iterator[Draft]:
    """Drafts of this file whose writer is gone, locked by us now."""
    start = mark(name)
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(start) and is_draft(entry.name)]
    for own_name in names:
        try:
            file = os.open(own_name, OPEN, dir_fd=folder)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ELOOP):
                raise
            continue
        if lock(file, own_name, folder, required=True):
            yield Draft(folder, name, own_name, file, os.lseek(file, 0, os.SEEK_END))
        else:
            os.close(file)


def lock(file: int, own_name: str, folder: int, *, required: bool = False) -> bool:
    """Whether the draft is ours alone now; False if another writer has it, or has just removed it.

    Where a file system has no locks, a new draft counts as ours, and one that is found as somebody's.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.ENOLCK, errno.EOPNOTSUPP) and not required
    try:
        found = os.stat(own_name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(file))


@contextlib.contextmanager
def folder_of(path: Path) -> Iterator[int]:
    """The folder that a file belongs in, made if it is missing, as an open descriptor."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, FOLDER)
    try:
        yield folder
    finally:
        os.close(folder)


def write_file(path: Path, data: bytes) -> None:
    """Put bytes into a file atomically, making the folders above it."""
    with folder_of(path) as folder, Draft.create(folder, path.name) as draft:
        draft.write(data)
        draft.replace()
