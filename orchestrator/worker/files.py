"""Small files between processes, and reading files that somebody else may have planted."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

NO_TRICKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""How to open what an agent can write: no link is followed, no pipe waited for."""


def replace_file(path: Path, data: str | bytes) -> None:
    """Put a file in place in one step: a reader sees the old one or the new one.

    It does not wait for the disk, which a busy agent can keep waiting for long: what it guards against is the end of a
    process, not of the machine.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    draft.write_bytes(data.encode() if isinstance(data, str) else data)
    draft.replace(path)


def open_plain(path: str | Path, folder: int | None = None) -> int | None:
    """An ordinary file, open for reading; None if there is none of that name, or something else."""
    try:
        file = os.open(path, NO_TRICKS, dir_fd=folder)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    return None


def read_plain(path: Path, most: int = 1 << 16) -> str | None:
    """The start of a small text file that an untrusted process may have written; None if there is no such file."""
    file = open_plain(path)
    if file is None:
        return None
    with os.fdopen(file, "rb") as stream:
        return stream.read(most).decode(errors="replace")
