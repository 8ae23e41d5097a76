"""Streams as blocks of bytes, and back."""

import io
from collections.abc import Iterator
from typing import IO

BLOCK = 1 << 20


def blocks_of(stream: IO[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """What is left of a stream, in blocks of at most `size` bytes."""
    while block := stream.read(size):
        yield block


def fill(stream: IO[bytes], size: int) -> bytes:
    """The next `size` bytes of a stream that may give them in pieces; fewer only at its end."""
    pieces: list[bytes] = []
    missing = size
    while missing and (piece := stream.read(missing)):
        pieces.append(piece)
        missing -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class Joined(io.RawIOBase):
    """Blocks as a stream, for whoever wants to read."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        super().__init__()
        self.blocks = blocks
        self.rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most `size`; none at the end."""
        if not self.rest:
            block = next(self.blocks, b"")
            if len(block) <= size or size < 0:
                return block
            self.rest = memoryview(block)
        taken = bytes(self.rest[:size] if size >= 0 else self.rest)
        self.rest = self.rest[len(taken) :]
        return taken
