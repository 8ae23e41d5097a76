"""A dataset's table of contents: every file with its size and checksum, by shard, and the dataset's digest.

As JSON it has one line a shard, so that writing and reading need memory for one shard and not for the dataset:

    {"version": 1, "digest": "…", "files": 3, "bytes": 42, "folders": ["empty"], "shards": [
    {"name": "shards/00000.tar", "size": 3072, "sha256": "…", "files": [["a.csv", 20, "…"], ["b/c.png", 22, "…"]]},
    {"name": "shards/00001.tar", "size": 1024, "sha256": "…", "files": [["d", 0, "…"]]}
    ]}

`folders` are the empty ones. Files are in the order of their paths, read folder by folder, within a shard and from one
shard to the next. The digest is the SHA-256 of that list alone, so it does not depend on how the files were packed.
"""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import ge
from typing import IO, Any, NamedTuple

from orchestrator.storage.store import StoreError

VERSION = 1
LEAVES = re.compile(r"(?:^|/)\.{0,2}(?:/|\Z)|\0")
STATE = ".mlectl"
"""Name of the folder in which staging keeps its own notes; a dataset may have nothing of that name at its top."""

SUSPECT = re.compile(rf"[/\0]\.{{0,2}}[/\0]|\0{re.escape(STATE)}[/\0]")
"""Something that `checked_path` may refuse, in paths with NULs around them."""


class DatasetError(StoreError):
    """A dataset could not be packed or staged; the message names the shard or file and says what to do."""


class FileEntry(NamedTuple):
    """One file of a dataset."""

    path: str
    size: int
    sha256: bytes


@dataclass(frozen=True)
class Shard:
    """One tar file and what is in it, held tightly: some datasets have millions of files."""

    name: str
    size: int
    sha256: str
    paths: str
    """Joined by NULs."""
    sizes: array[int]
    digests: bytes

    @classmethod
    def of(cls, name: str, size: int, sha256: str, files: Sequence[tuple[str, int]], digests: bytes) -> Shard:
        """A shard of these paths and sizes, and the files' checksums one after the other."""
        sizes = array("q", [file_size for _, file_size in files])
        return cls(name, size, sha256, "\0".join([path for path, _ in files]), sizes, digests)

    def files(self) -> Iterator[FileEntry]:
        for number, (path, size) in enumerate(self._paths_and_sizes()):
            yield FileEntry(path, size, self.digests[32 * number : 32 * number + 32])

    def job(self) -> list[tuple[str, int, bytes]]:
        """The files as plain tuples, to be sent to a helper."""
        return [(file.path, file.size, file.sha256) for file in self.files()]

    def rows(self) -> list[tuple[str, int, str]]:
        """Path, size and checksum of every file, as the manifest writes them."""
        hexes = self.digests.hex()
        starts = range(0, len(hexes), 64)
        return [
            (path, size, hexes[at : at + 64]) for at, (path, size) in zip(starts, self._paths_and_sizes(), strict=True)
        ]

    def _paths_and_sizes(self) -> Iterator[tuple[str, int]]:
        return zip(self.paths.split("\0"), self.sizes, strict=True) if self.sizes else iter(())

    @property
    def content_bytes(self) -> int:
        return sum(self.sizes)


@dataclass(frozen=True)
class Manifest:
    """What a dataset consists of."""

    shards: tuple[Shard, ...]
    folders: tuple[str, ...] = ()

    @property
    def file_count(self) -> int:
        return sum(len(shard.sizes) for shard in self.shards)

    @property
    def total_bytes(self) -> int:
        return sum(shard.content_bytes for shard in self.shards)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over `<sha256> <size> <path>NUL` of every file and `folder <path>NUL` of every empty folder."""
        digest = hashlib.sha256()
        for shard in self.shards:
            digest.update(encode("".join([f"{sha256} {size} {path}\0" for path, size, sha256 in shard.rows()])))
        for folder in sorted(self.folders, key=order):
            digest.update(encode(f"folder {folder}\0"))
        return digest.hexdigest()

    def files(self) -> Iterator[FileEntry]:
        for shard in self.shards:
            yield from shard.files()

    def lines(self) -> Iterator[bytes]:
        """As JSON, line by line."""
        head = {
            "version": VERSION,
            "digest": self.digest,
            "files": self.file_count,
            "bytes": self.total_bytes,
            "folders": self.folders,
        }
        yield json.dumps(head).removesuffix("}").encode() + b', "shards": [\n'
        for number, shard in enumerate(self.shards, start=1):
            row = {"name": shard.name, "size": shard.size, "sha256": shard.sha256, "files": shard.rows()}
            yield json.dumps(row).encode() + (b",\n" if number < len(self.shards) else b"\n")
        yield b"]}\n"


def order(path: str) -> bytes:
    """Sorts paths folder by folder."""
    return encode(path.replace("/", "\0"))


def encode(text: str) -> bytes:
    """As file names are in bytes: also those that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def parse_manifest(stream: IO[bytes], where: str) -> Manifest:
    """A manifest, checked: its own digest, totals, order, and that no path leaves the folder it will be staged into."""
    try:
        head = json.loads(stream.readline() + b"]}")
        if head["version"] != VERSION:
            raise DatasetError(
                f"The manifest {where} has version {head['version']}, and this mlectl reads {VERSION}; "
                "use the mlectl that packed it, or prepare the dataset again."
            )
        shards = tuple(map(parse_shard, until_end(stream)))
        manifest = Manifest(shards, tuple(map(checked_path, head["folders"])))
        check_order(manifest)
        stated = (head["digest"], head["files"], head["bytes"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DatasetError(f"The manifest {where} is damaged ({error}); prepare the dataset again.") from error
    if stated != (manifest.digest, manifest.file_count, manifest.total_bytes):
        raise DatasetError(f"The manifest {where} does not match its own digest; prepare the dataset again.")
    return manifest


def until_end(stream: IO[bytes]) -> Iterator[bytes]:
    """The shards' lines, up to the last line of all."""
    for line in stream:
        if line == b"]}\n":
            return
        yield line.rstrip(b",\n")
    raise ValueError("it ends too early")


def parse_shard(line: bytes) -> Shard:
    row = json.loads(line)
    files = [(path, size) for path, size, _ in row["files"]]
    checksums = [sha256 for _, _, sha256 in row["files"]]
    for (path, size), sha256 in zip(files, checksums, strict=True):
        if type(size) is not int or size < 0 or len(sha256) != 64:
            raise ValueError(f"{path!r} has no proper size and checksum")
    check_paths([path for path, _ in files])
    digests = bytes.fromhex("".join(checksums))
    if len(digests) != 32 * len(files):
        raise ValueError("its checksums are not hexadecimal")
    return Shard.of(checked_path(row["name"]), int(row["size"]), str(row["sha256"]), files, digests)


def check_paths(paths: list[str]) -> None:
    """Refuse a list with a path that does not stay in the dataset; all are looked at in one go, as there are many."""
    joined = "\0".join(paths)
    if joined.count("\0") != len(paths) - bool(paths) or SUSPECT.search(f"\0{joined}\0"):
        for path in paths:
            checked_path(path)


def checked_path(path: Any) -> str:
    """The path itself, if it stays below the folder that it is relative to."""
    if not isinstance(path, str) or LEAVES.search(path):
        raise ValueError(f"{path!r} is not a path inside a dataset")
    if path.partition("/")[0] == STATE:
        raise ValueError(f"{path!r} has a name that is kept for staging")
    return path


def check_order(manifest: Manifest) -> None:
    """Refuse a list that names a path twice or out of order."""
    last = b""
    for shard in manifest.shards:
        paths = encode(shard.paths).split(b"\0") if shard.sizes else []
        keys = [path.replace(b"/", b"\0") for path in paths]
        if any(map(ge, [last, *keys], keys)):
            at = next(number for number, pair in enumerate(pairwise([last, *keys])) if pair[0] >= pair[1])
            raise ValueError(f"{paths[at].decode('utf-8', 'surrogateescape')!r} is out of order")
        last = keys[-1] if keys else last
