"""An agent's folder as a tar file, and back. The agent may be writing into it, and may mean harm.

Every folder and file is opened by its name in the folder above, without following links, so nothing outside gets in and
a name that changes its meaning in between finds nothing. Links, pipes and devices are left out and counted, as is what
exceeds the limits. The largest files are the first to be left out: code and logs are small, checkpoints are not.
"""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from orchestrator.worker.files import open_plain
from orchestrator.worker.limits import FOLDER_DEPTH, FOLDER_FILES

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
SPACE_PER_FILE = 2 * tarfile.BLOCKSIZE
"""A tar's header and padding, so that a folder of empty files has a size too."""
LONGEST_PLAIN_NAME = 100
"""Beyond that, or in another script, a name needs records of its own."""


@dataclass
class Packed:
    """What became of a folder."""

    files: int = 0
    bytes: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    """How many were not taken, by why: links, special, too_large, too_many, too_deep, unreadable."""

    def leave_out(self, why: str, count: int = 1) -> None:
        self.left_out[why] = self.left_out.get(why, 0) + count


@dataclass(frozen=True)
class Found:
    """A file or folder to be packed."""

    name: str
    size: int = 0
    is_folder: bool = False

    @property
    def space(self) -> int:
        """Bytes of the tar that it may take up."""
        is_plain = self.name.isascii() and len(self.name) < LONGEST_PLAIN_NAME
        extra = 0 if is_plain else SPACE_PER_FILE + tarfile.BLOCKSIZE + len(os.fsencode(self.name))
        return self.size + SPACE_PER_FILE + extra


def pack_folder(folder: Path, target: Path, most_bytes: int, most_files: int = FOLDER_FILES) -> Packed:
    """Write the folder's files and folders into a tar file; a folder that is not there gives an empty one."""
    packed = Packed()
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar, open_folder(folder) as root:
        if root is None:
            return packed
        found = list(_find(root, packed, most_files))
        chosen = _choose(found, packed, most_bytes)
        for item in found:
            if item.name in chosen:
                _add(tar, root, item, packed)
                tar.members.clear()  # type: ignore[attr-defined]  # it keeps them all, for readers
    return packed


@contextmanager
def open_folder(path: str | Path, above: int | None = None) -> Iterator[int | None]:
    """A folder, open; None if it is not there or is something else."""
    try:
        folder = os.open(path, FOLDER, dir_fd=above)
    except OSError:
        yield None
        return
    try:
        yield folder
    finally:
        os.close(folder)


def _find(root: int, packed: Packed, most_files: int) -> Iterator[Found]:
    """Ordinary files and folders below an open folder, in the order of their names; the rest is counted."""
    left = most_files

    def walk(folder: int, prefix: str, depth: int) -> Iterator[Found]:
        nonlocal left
        for name in _names(folder, left, packed):
            path = f"{prefix}{name}"
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(status.st_mode):
                with open_folder(name, above=folder) as inner:
                    if depth == FOLDER_DEPTH or inner is None:
                        packed.leave_out("too_deep" if depth == FOLDER_DEPTH else "unreadable")
                    else:
                        yield Found(path, is_folder=True)
                        yield from walk(inner, f"{path}/", depth + 1)
            elif not stat.S_ISREG(status.st_mode):
                packed.leave_out("links" if stat.S_ISLNK(status.st_mode) else "special")
            elif left <= 0:
                packed.leave_out("too_many")
            else:
                left -= 1
                yield Found(path, status.st_size)

    return walk(root, "", 1)


def _names(folder: int, most: int, packed: Packed) -> list[str]:
    """Names in a folder, sorted; of more than `most` the rest is only counted, so that they can't fill our memory."""
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(names) < most:
                names.append(entry.name)
            else:
                packed.leave_out("too_many")
    return sorted(names)


def _choose(found: list[Found], packed: Packed, most_bytes: int) -> set[str]:
    """Names of the files that fit, smallest first."""
    chosen: set[str] = set()
    room = most_bytes
    for item in sorted(found, key=lambda item: item.space):
        room -= item.space
        if room < 0:
            packed.leave_out("too_large", len(found) - len(chosen))
            break
        chosen.add(item.name)
    return chosen


def _add(tar: tarfile.TarFile, root: int, item: Found, packed: Packed) -> None:
    if item.is_folder:
        info = tarfile.TarInfo(item.name)
        info.type, info.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(info)
        return
    file = _open_below(root, item.name)
    if file is None:
        packed.leave_out("unreadable")
        return
    with os.fdopen(file, "rb") as stream:
        status = os.fstat(file)
        info = tarfile.TarInfo(item.name)
        info.size = item.size
        info.mode = 0o755 if status.st_mode & 0o100 else 0o644
        info.mtime = int(status.st_mtime)
        tar.addfile(info, Exactly(stream, item.size))
    packed.files += 1
    packed.bytes += item.size


def _open_below(root: int, name: str) -> int | None:
    """A file by its path below an open folder, every part of it opened without following links."""
    *folders, last = name.split("/")
    current = os.dup(root)
    try:
        for part in folders:
            inner = os.open(part, FOLDER, dir_fd=current)
            os.close(current)
            current = inner
        return open_plain(last, current)
    except OSError:
        return None
    finally:
        os.close(current)


class Exactly:
    """A stream that gives just so many bytes: zeros where the file has shrunk since it was measured."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        self.stream = stream
        self.left = size

    def read(self, size: int = -1, /) -> bytes:
        wanted = self.left if size < 0 else min(size, self.left)
        data = self.stream.read(wanted)
        self.left -= wanted
        return data.ljust(wanted, b"\0")


def unpack_folder(source: Path, folder: Path) -> None:
    """Put a packed folder's files back. Whatever else the tar holds is not for this folder and is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(source) as tar:
        for member in tar:
            parts = PurePosixPath(member.name).parts
            if not _stays_below(parts):
                continue
            if member.isdir():
                folder.joinpath(*parts).mkdir(parents=True, exist_ok=True)
            elif member.isreg() and (stream := tar.extractfile(member)) is not None:
                _write(folder, parts, stream, member.mode)


def _stays_below(parts: tuple[str, ...]) -> bool:
    return bool(parts) and parts[0] != "/" and ".." not in parts


def _write(folder: Path, parts: tuple[str, ...], stream: IO[bytes], mode: int) -> None:
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, (mode & 0o777) | 0o600)
    with os.fdopen(file, "wb") as output:
        while block := stream.read(1 << 20):
            output.write(block)
