"""Streams as blocks of bytes."""

from collections.abc import Generator
from typing import IO

BLOCK = 1 << 20


def blocks_of(stream: IO[bytes], size: int = BLOCK) -> Generator[bytes, None, None]:
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
