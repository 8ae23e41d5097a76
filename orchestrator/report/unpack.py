"""Unpack a tar that an agent's folder went into, trusting nothing in it.

Only plain files are taken, and only below the target: links, devices, sparse files and paths that lead out are left out
and named. Nothing in the target is ever a link, so no path written here can follow one.
"""

from __future__ import annotations

import errno
import tarfile
from pathlib import Path, PurePosixPath
from typing import IO

from orchestrator.report.words import one_line

BLOCK = 1 << 20
UNUSABLE = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ)
"""What a name in the tar can bring about; anything else is the disk's doing and stops the export."""


def unpack(stream: IO[bytes], target: Path) -> list[str]:
    """Put the tar's plain files below a new folder; what was left out, each with why."""
    target.mkdir(parents=True)
    left_out = []
    try:
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            for member in tar:
                why = _why_not(member) or _extract(tar, member, target)
                if why:
                    left_out.append(f"{one_line(member.name, 80)}: {why}")
    except tarfile.TarError as error:
        left_out.append(f"the rest: the tar is damaged ({error})")
    return left_out


def _why_not(member: tarfile.TarInfo) -> str | None:
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or "\0" in member.name:
        return "its path leads out of the folder"
    if member.isdir():
        return None
    if member.issym() or member.islnk():
        return "a link"
    if not member.isreg() or member.issparse():
        return "not a plain file"
    return None if path.parts else "it has no name"


def _extract(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> str | None:
    path = target.joinpath(*PurePosixPath(member.name).parts)
    try:
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        source = tar.extractfile(member)
        if source is None:
            return "not a plain file"
        with source, path.open("xb") as file:
            while block := source.read(BLOCK):
                file.write(block)
    except OSError as error:
        if error.errno not in UNUSABLE:
            raise
        return f"its path can't be used here ({error.strerror})"
    return None
