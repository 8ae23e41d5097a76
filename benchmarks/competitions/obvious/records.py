"""TFRecord files, decoded by hand: each record is a protobuf Example { Features { map { name, Feature } } }."""

import struct
from collections.abc import Iterator
from pathlib import Path

LENGTHS = 2
"""Protobuf's wire type of what has a length: texts, bytes and messages."""


def image_names(path: Path) -> Iterator[str]:
    """The feature `image_name` of each record."""
    with path.open("rb") as file:
        while head := file.read(12):
            example = file.read(struct.unpack("<Q", head[:8])[0])
            file.read(4)
            for features in fields(example, 1):
                for entry in fields(features, 1):
                    if next(fields(entry, 1)) == b"image_name":
                        values = next(fields(next(fields(entry, 2)), 1))
                        yield next(fields(values, 1)).decode()


def fields(message: bytes, wanted: int) -> Iterator[bytes]:
    """The values of one field of a message."""
    place = 0
    while place < len(message):
        tag, place = varint(message, place)
        size, place = varint(message, place)
        if tag & 7 != LENGTHS:
            continue
        if tag >> 3 == wanted:
            yield message[place : place + size]
        place += size


def varint(message: bytes, place: int) -> tuple[int, int]:
    """A number, and where it ends."""
    number = shift = 0
    while True:
        byte = message[place]
        number |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return number, place
