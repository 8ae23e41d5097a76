"""What went wrong with a file, as one sentence that says what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from orchestrator.storage.store import StoreError

HINTS = {
    errno.ENOSPC: "the disk is full; free some space there and start again",
    errno.EDQUOT: "the disk quota is used up; free some space there and start again",
    errno.EFBIG: "a file may not grow that large here; raise the limit on file sizes (ulimit -f) and start again",
    errno.EACCES: "permission denied; run as a user who may, or change the folder's mode",
    errno.EPERM: "not permitted; run as a user who may, or change the folder's mode",
    errno.EROFS: "the file system is read-only; choose another folder or mount it writable",
    errno.ENAMETOOLONG: "a name in it is too long for this file system; use a shorter one",
    errno.ENOTDIR: "a part of the path is a file and not a folder; move that file away",
    errno.EISDIR: "there is a folder of that name; move it away",
    errno.ELOOP: "it is a symbolic link, which is not followed; put a plain file or folder in its place",
    errno.EMFILE: "too many files are open; raise the limit (ulimit -n)",
    errno.EIO: "the disk reports an input/output error; check it before anything else",
    errno.ENOENT: "it, or a folder above it, is not there; check the path",
}


@contextmanager
def explaining(action: str) -> Iterator[None]:
    """Turn an OSError into a StoreError: what could not be done (`write 'a' in file:///b`), why, and what to do."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"Cannot {action}: {hint(error)}.") from error


def hint(error: OSError) -> str:
    """Why, and what to do about it."""
    return HINTS.get(error.errno or 0) or f"{error.strerror or error}; see to it and start again"
