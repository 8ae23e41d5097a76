"""What a helper runs for staging: the bytes of a shard become files, each hashed as it is written.

The job is (folder, [(path, size, sha256), …], size of the shard); the shard comes through standard input. Every header
must be the one that the list calls for, so nothing else gets through: no link, no device, no path that leaves the
folder. The report is ("done",) or ("damaged", what is wrong) or ("failed", path, error number). Imports little: see
`helper.py`.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys

from orchestrator.storage import tarball
from orchestrator.storage.placing import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

BLOCK = 1 << 20
BUFFER = 1 << 18


class Damaged(Exception):
    """What arrived is not what the list says."""


def main(job: int, report: int) -> None:
    with os.fdopen(job, "rb") as pipe:
        folder, files, size = marshal.load(pipe)  # noqa: S302 - our own parent wrote it
    unfiling = Unfiling(os.fdopen(sys.stdin.fileno(), "rb", buffering=BUFFER, closefd=False), size)
    outcome: tuple[object, ...]
    try:
        with Place(folder) as place:
            for file in files:
                unfiling.write(place, *file)
        unfiling.finish()
        outcome = ("done",)
    except Damaged as error:
        outcome = ("damaged", str(error))
    except OSError as error:
        outcome = ("failed", unfiling.path, error.errno)
    os.write(report, marshal.dumps(outcome))


class Unfiling:
    """Takes one shard apart."""

    def __init__(self, source: IO[bytes], size: int) -> None:
        self.source, self.size = source, size
        self.position = 0
        self.path = ""

    def write(self, place: Place, path: str, size: int, sha256: bytes) -> None:
        """Make the next file, which must be this one."""
        self.path = path
        expected = tarball.header(path, size)
        if size <= BLOCK:
            data = self.take(len(expected) + size + -size % tarball.BLOCK, expected)
            content = memoryview(data)[len(expected) : len(expected) + size]
            place.write(path, content)
            digest = hashlib.sha256(content).digest()
        else:
            self.take(len(expected), expected)
            digest = self.write_in_blocks(place, path, size)
            self.take(-size % tarball.BLOCK)
        if digest != sha256:
            raise Damaged(f"{path!r} does not match its checksum")

    def write_in_blocks(self, place: Place, path: str, size: int) -> bytes:
        from orchestrator.storage.hashing import BackgroundHash

        digest = BackgroundHash()
        file = place.create(path)
        try:
            while size:
                block = self.take(min(BLOCK, size))
                size -= len(block)
                digest.update(block)
                view = memoryview(block)
                while view:
                    view = view[os.write(file, view) :]
        finally:
            os.close(file)
        return digest.digest()

    def finish(self) -> None:
        """Read what follows the last file: nothing but the end."""
        if self.take(len(tarball.END)) != tarball.END or self.source.read(1):
            raise Damaged("there is more in it than the manifest says")

    def take(self, size: int, start: bytes = b"") -> bytes:
        """The next bytes of the shard, which must start like this."""
        data = self.source.read(size)
        self.position += len(data)
        if len(data) != size:
            raise Damaged(f"it ends at byte {self.position:,} of {self.size:,}")
        if not data.startswith(start):
            raise Damaged(f"where {self.path!r} should start it has {tarball.describe(data[: len(start)])}")
        return data
