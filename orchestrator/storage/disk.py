"""Two things that Linux does with a disk and Python has no words for."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from pathlib import Path

SYNC_FILE_RANGE_WRITE = 2


@functools.cache
def libc() -> ctypes.CDLL | None:
    """The system's C library; None where it is not Linux's."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    return library if hasattr(library, "syncfs") and hasattr(library, "sync_file_range") else None


def start_writing(file: int) -> None:
    """Have the disk begin with what was written to a file, so that less is left to wait for at the end."""
    if library := libc():
        library.sync_file_range(file, ctypes.c_int64(0), ctypes.c_int64(0), SYNC_FILE_RANGE_WRITE)


def flush(folder: Path) -> None:
    """Wait until everything that was written to the folder's file system is on its disk."""
    library = libc()
    if library is None:
        os.sync()
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if library.syncfs(opened) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
    finally:
        os.close(opened)
