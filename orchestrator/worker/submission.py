"""Copies of the agent's submission.csv, and which of them counts.

The agent may be writing it, may have put something else in its place, and may go on after its time is over. A copy is
taken at once and kept where the agent can't reach it; it says whether the file changed while it was read, and when it
had last been touched (the inode's change time, which no program can set).
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from orchestrator.worker.files import open_plain
from orchestrator.worker.folders import open_folder
from orchestrator.worker.limits import SUBMISSION_BYTES

NAME = "submission.csv"
BLOCK = 1 << 20


@dataclass(frozen=True)
class Copied:
    """A submission as it was found."""

    bytes: int
    sha256: str | None = None
    """None: it could not be taken, for the reason in `problem`."""
    problem: str | None = None
    changed_at: float = 0.0
    """When it had last been touched, in seconds since the epoch."""
    is_torn: bool = False
    """It was written to while it was copied."""

    @property
    def is_taken(self) -> bool:
        return self.sha256 is not None


def copy_submission(folder: Path, target: Path) -> Copied | None:
    """Copy the submission in an agent's folder to `target`; None if there is nothing of that name."""
    with open_folder(folder) as opened:
        if opened is None:
            return None
        try:
            before = os.stat(NAME, dir_fd=opened, follow_symlinks=False)
        except OSError:
            return None
        if not stat.S_ISREG(before.st_mode):
            kind = "a link" if stat.S_ISLNK(before.st_mode) else "not a plain file"
            return Copied(0, problem=f"{NAME} is {kind}; only a plain file is taken.")
        if before.st_size > SUBMISSION_BYTES:
            problem = f"{NAME} has {before.st_size:,} bytes; at most {SUBMISSION_BYTES:,} are taken."
            return Copied(before.st_size, problem=problem)
        file = open_plain(NAME, opened)
    if file is None:
        return Copied(before.st_size, problem=f"{NAME} can't be read; check its permissions.")
    try:
        return _copy(file, target)
    finally:
        os.close(file)


def _copy(file: int, target: Path) -> Copied:
    """As much as it had when the copy began."""
    before = os.fstat(file)
    digest = hashlib.sha256()
    size = 0
    with target.open("wb") as output:
        while block := os.read(file, min(BLOCK, before.st_size - size)):
            output.write(block)
            digest.update(block)
            size += len(block)
    is_torn = _state(before) != _state(os.fstat(file)) or size != before.st_size
    return Copied(size, digest.hexdigest(), changed_at=before.st_ctime, is_torn=is_torn)


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
