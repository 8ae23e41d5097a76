"""Reading a shard piece by piece: each must be there, and each header must be the one that the manifest calls for."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.storage import tarball
from orchestrator.storage.manifest import DatasetError, FileEntry, Shard


class Damaged(DatasetError):
    """What a shard brought is not what the manifest says."""


class ShardReader:
    """A shard's bytes, taken in order."""

    def __init__(self, blocks: Iterator[bytes], shard: Shard, where: str) -> None:
        self.blocks = blocks
        self.shard, self.where = shard, where
        self.block = memoryview(b"")
        self.position = 0

    def take_header(self, file: FileEntry) -> None:
        """Read a file's header, which must be exactly the expected one."""
        expected = tarball.header(file.path, file.size)
        found = self.take(len(expected)).tobytes()
        if found != expected:
            raise self.damaged(f"where {file.path!r} should start it has {tarball.describe(found)}")

    def take(self, size: int) -> memoryview:
        """The next bytes, as many as asked for."""
        block = self.block
        if size > len(block):
            block = self._gather(size)
        self.block = block[size:]
        self.position += size
        return block[:size]

    def take_blocks(self, size: int) -> Iterator[memoryview]:
        """The next bytes, as they come."""
        while size:
            if not self.block:
                self.block = memoryview(next(self.blocks, b""))
            piece = self.take(min(size, len(self.block) or 1))
            size -= len(piece)
            yield piece

    def finish(self) -> None:
        """Read what follows the last file: nothing but the end."""
        rest = self.take(len(tarball.END)).tobytes()
        if rest != tarball.END or self.block or next(self.blocks, b""):
            raise self.damaged("there is more in it than the manifest says")

    def damaged(self, what: str) -> Damaged:
        return Damaged(f"{self.shard.name} of {self.where} is damaged: {what}; prepare the dataset again.")

    def _gather(self, size: int) -> memoryview:
        pieces, have = [self.block], len(self.block)
        while have < size:
            piece = next(self.blocks, b"")
            if not piece:
                raise self.damaged(f"it ends at byte {self.position + have:,} of {self.shard.size:,}")
            pieces.append(memoryview(piece))
            have += len(piece)
        return memoryview(b"".join(pieces))
