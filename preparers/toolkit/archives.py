"""Archives: reading zips in place, unpacking 7z and tar, and writing archives whose bytes are the same every time."""

from __future__ import annotations

import io
import re
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import IO, Literal

from preparers.errors import PreparationError
from preparers.toolkit.names import check_inside, tell
from preparers.toolkit.origin import Origin, Pairs

BLOCK = 1 << 20
ArchiveKind = Literal["zip", "7z", "tar"]


class ZipOrigin(Origin):
    """The members of a zip archive, read one by one without unpacking it."""

    def __init__(self, archive: Path) -> None:
        self.archive = archive
        self._zip = zipfile.ZipFile(archive)

    @staticmethod
    def can_read(archive: Path) -> bool:
        return zipfile.is_zipfile(archive)

    def open(self, name: str) -> IO[bytes]:
        try:
            return self._zip.open(name)
        except KeyError:
            raise PreparationError(f"{self.archive} has no member {name!r}; it holds {tell(self.names())}.") from None

    def names(self, pattern: str = "**") -> list[str]:
        fits = re.compile(_as_expression(pattern))
        return sorted(name for name in self._zip.namelist() if not name.endswith("/") and fits.fullmatch(name))

    def deliver(self, pairs: Pairs, folder: Path) -> None:
        members = set(self._zip.namelist())
        missing: list[str] = []
        made: set[str] = set()
        for target, source in pairs:
            check_inside(target)
            if source not in members:
                missing.append(source)
                continue
            parent = target.rpartition("/")[0]
            if parent not in made:
                (folder / parent).mkdir(parents=True, exist_ok=True)
                made.add(parent)
            try:
                with self._zip.open(source) as member, (folder / target).open("xb") as file:
                    shutil.copyfileobj(member, file, BLOCK)
            except FileExistsError:
                raise PreparationError(
                    f"Two files are to become {target}; the second is {source} of {self.archive}."
                ) from None
        if missing:
            raise PreparationError(f"{len(missing):,} members are missing in {self.archive}: {tell(missing)}.")


def _as_expression(pattern: str) -> str:
    """A glob pattern as a regular expression, `*` staying within a folder and `**` crossing them."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(parts.get(piece, re.escape(piece)) for piece in re.split(r"(\*\*/|\*\*|\*|\?)", pattern))


def unpack(archive: Path, into: Path) -> None:
    """Unpack a 7z archive or a tar, compressed or not. A member that would leave the folder is refused."""
    import py7zr

    into.mkdir(parents=True)
    if py7zr.is_7zfile(archive):
        with py7zr.SevenZipFile(archive) as packed:
            packed.extractall(into)
    elif tarfile.is_tarfile(archive):
        with tarfile.open(archive) as packed_tar:
            packed_tar.extractall(into, filter=_files_and_folders)
    else:
        raise PreparationError(f"{archive} is neither a zip nor a 7z nor a tar archive: was it downloaded completely?")


def names_in_7z(archive: Path) -> list[str]:
    """What a 7z archive holds, without unpacking it."""
    import py7zr

    with py7zr.SevenZipFile(archive) as packed:
        return list(packed.getnames())


def _files_and_folders(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo:
    """Python's filter for data, without links. As then a name alone says where a file goes, plain names are not looked
    up on disk, folder by folder, which takes Python longer than to write a picture."""
    if not (member.isreg() or member.isdir()):
        raise PreparationError(f"{member.name!r} is neither a file nor a folder: raw archives hold nothing else.")
    if not member.isreg() or member.name.startswith("/") or ".." in member.name.split("/"):
        return tarfile.data_filter(member, folder)
    mode = (member.mode & 0o755) | 0o600
    return member.replace(mode=mode, uid=None, gid=None, uname=None, gname=None, deep=False)  # type: ignore[arg-type]


def write_zip(path: Path, members: Pairs, origin: Origin, *, compress: bool = True) -> None:
    """Write a zip archive of files from an origin, each member with mode 0644 and no time of its own.

    A member whose name ends in / is an entry for a folder, and has no source.
    """
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "x", method) as archive:
        for name, source in members:
            check_inside(name)
            member = zipfile.ZipInfo(name)
            if member.is_dir():
                archive.writestr(member, b"")
                continue
            member.compress_type = method
            member.external_attr = 0o644 << 16
            with origin.open(source) as file, archive.open(member, "w", force_zip64=True) as packed:
                shutil.copyfileobj(file, packed, BLOCK)


def write_7z(path: Path, members: Pairs, origin: Origin) -> None:
    """Write a 7z archive of files from an origin, members with one and the same time."""
    import py7zr
    from py7zr.helpers import ArchiveTimestamp

    with py7zr.SevenZipFile(path, "x") as archive:
        for name, source in members:
            check_inside(name)
            with origin.open(source) as file:
                archive.writef(file, name)
        written = archive.header.files_info  # None if the archive is empty
        for member in written.files if written else ():
            for time in ("creationtime", "lastwritetime", "lastaccesstime"):
                member[time] = ArchiveTimestamp.from_datetime(0)


def write_tar(path: Path, members: Pairs, origin: Origin) -> None:
    """Write an uncompressed tar archive (PAX), files only, each with mode 0644 and neither time nor owner."""
    with tarfile.open(path, "x", format=tarfile.PAX_FORMAT) as archive:
        for name, source in members:
            check_inside(name)
            with origin.open(source) as file:
                member = tarfile.TarInfo(name)
                member.size = file.seek(0, io.SEEK_END)
                file.seek(0)
                archive.addfile(member, file)


def write_archive(path: Path, members: Pairs, origin: Origin, *, kind: ArchiveKind | None, compress: bool) -> None:
    """Write an archive of the given kind, or of the one that its name ends in."""
    match kind or path.suffix.removeprefix("."):
        case "zip":
            write_zip(path, members, origin, compress=compress)
        case "7z":
            write_7z(path, members, origin)
        case "tar":
            write_tar(path, members, origin)
        case other:
            raise ValueError(f"{path.name}: no archive is called {other!r}; say kind= zip, 7z or tar")
