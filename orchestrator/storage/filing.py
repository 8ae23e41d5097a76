"""What a helper runs for packing: files become the bytes of a shard, each hashed as it is read.

The job is (folder, [(path, size), …]). The shard goes to standard output, then comes the report: ("done", checksums of
the files one after the other, the shard's size, its checksum) or ("changed", path) or ("failed", path, error number).
Imports little: see `helper.py`.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys

from orchestrator.storage import tarball

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.storage.hashing import BackgroundHash

BLOCK = 1 << 20
GATHERED = 1 << 18
"""Small files are written together once they are this large: what was hashed is then still in the processor's cache."""
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
ZEROS = bytes(tarball.BLOCK)


class Changed(Exception):
    """A file has not the size that it had when the shard was planned."""


def main(job: int, report: int) -> None:
    with os.fdopen(job, "rb") as pipe:
        folder, files = marshal.load(pipe)  # noqa: S302 - our own parent wrote it
    out = sys.stdout.fileno()
    filing = Filing(folder)
    outcome: tuple[object, ...]
    try:
        outcome = ("done", *filing.write_shard(files, out))
    except Changed:
        outcome = ("changed", filing.path)
    except OSError as error:
        outcome = ("failed", filing.path, error.errno)
    os.close(out)
    write(report, marshal.dumps(outcome))


class Filing:
    """Makes one shard."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.digests = bytearray()
        self.path = ""

    def write_shard(self, files: list[tuple[str, int]], out: int) -> tuple[bytes, int, bytes]:
        """Write the shard; the files' checksums, its size and its own checksum."""
        size = 0
        is_large = any(file_size > BLOCK for _, file_size in files)
        sha256 = new_hash(in_background=is_large)
        for block in self.blocks(files):
            sha256.update(block)
            size += len(block)
            write(out, block)
        return bytes(self.digests), size, sha256.digest()

    def blocks(self, files: list[tuple[str, int]]) -> Iterator[bytes]:
        """The bytes of the shard, in pieces of a size that is good to write."""
        pieces: list[bytes] = []
        gathered = 0
        for self.path, size in files:
            pieces.append(tarball.header(self.path, size))
            if size <= BLOCK:
                pieces.append(self.read(size))
            else:
                yield b"".join(pieces)
                pieces.clear()
                yield from self.read_in_blocks(size)
            pieces.append(ZEROS[: -size % tarball.BLOCK])
            gathered += tarball.BLOCK + size
            if gathered >= GATHERED:
                yield b"".join(pieces)
                pieces.clear()
                gathered = 0
        pieces.append(tarball.END)
        yield b"".join(pieces)

    def read(self, size: int) -> bytes:
        file = os.open(f"{self.folder}/{self.path}", READ)
        try:
            content = os.read(file, size + 1)
        finally:
            os.close(file)
        if len(content) != size:
            raise Changed
        self.digests += hashlib.sha256(content).digest()
        return content

    def read_in_blocks(self, size: int) -> Iterator[bytes]:
        digest = new_hash(in_background=True)
        file = os.open(f"{self.folder}/{self.path}", READ)
        try:
            while block := os.read(file, BLOCK):
                size -= len(block)
                if size < 0:
                    raise Changed
                digest.update(block)
                yield block
        finally:
            os.close(file)
        if size:
            raise Changed
        self.digests += digest.digest()


def new_hash(*, in_background: bool) -> hashlib._Hash | BackgroundHash:
    if not in_background:
        return hashlib.sha256()
    from orchestrator.storage.hashing import BackgroundHash

    return BackgroundHash()


def write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
