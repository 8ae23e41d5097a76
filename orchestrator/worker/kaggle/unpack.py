"""Unpacking an archive that came from elsewhere: nothing of it may land outside of the folder it is meant for."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from orchestrator.worker.kaggle.errors import BadArchive, DiskFull

CHUNK = 1 << 20
MANY_FILES = 1_000
"""More than these are flushed all at once, with whatever else the machine has to write."""


def unpack(archive: Path, target: Path, report: Callable[[int, int], None]) -> None:
    """Unpack the outer archive into a folder that must not exist yet. Archives inside of it stay packed."""
    target.mkdir(parents=True)
    try:
        with zipfile.ZipFile(archive) as opened:
            members = opened.infolist()
            places = [target / _safe_path(archive, member) for member in members]
            total = sum(member.file_size for member in members)
            free = shutil.disk_usage(target).free
            if total > free:
                raise DiskFull(f"what is in {archive.name}", target.parent, total, free)
            done = 0
            for member, place in zip(members, places, strict=True):
                _unpack_member(opened, member, place)
                done += member.file_size
                report(done, total)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise BadArchive(f"{archive} can't be unpacked ({type(error).__name__}: {error}): run this again.") from error
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise BadArchive(f"{archive} has two members in the same place ({error.filename}).") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            free = shutil.disk_usage(target).free
            raise DiskFull(f"what is in {archive.name}", target.parent, None, free) from error
        raise


def flush(folder: Path) -> None:
    """Bring every file to the disk, or a crash of the machine could leave the names without the content."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    if len(files) > MANY_FILES:
        os.sync()
        return
    for path in files:
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _safe_path(archive: Path, member: zipfile.ZipInfo) -> PurePosixPath:
    """The member's path below the target, or `BadArchive` if it would leave it or is anything but a file or folder."""
    path = PurePosixPath(member.filename)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise BadArchive(f"{archive} has a member that leaves its folder, {member.filename!r}: it was not unpacked.")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadArchive(f"{archive} has a link or device, {member.filename!r}: it was not unpacked.")
    return path


def _unpack_member(opened: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    if member.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    with opened.open(member) as source, place.open("xb") as file:
        shutil.copyfileobj(source, file, CHUNK)
