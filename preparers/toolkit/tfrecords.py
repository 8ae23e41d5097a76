"""TFRecord files without TensorFlow: records in a frame of lengths and checksums, each a `tf.train.Example`.

An Example is a protobuf message { 1: Features { 1: map<string, Feature> } }, a Feature { 1: BytesList { 1: bytes } } or
a list of numbers. Checksums are written, and not checked when reading.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

from preparers.errors import PreparationError
from preparers.toolkit.crc32c import crc32c

LENGTH = struct.Struct("<Q")
CHECKSUM = struct.Struct("<I")


def read_records(file: IO[bytes]) -> Iterator[bytes]:
    """The records of a file, one after the other."""
    while head := file.read(LENGTH.size + CHECKSUM.size):
        size = LENGTH.unpack_from(head)[0] if len(head) == LENGTH.size + CHECKSUM.size else 0
        record = file.read(size + CHECKSUM.size)
        if len(head) + len(record) != LENGTH.size + 2 * CHECKSUM.size + size:
            raise PreparationError("A TFRecord file ends within a record: was it downloaded completely?")
        yield record[:size]


def write_records(file: IO[bytes], records: Iterable[bytes]) -> None:
    """Write records with their frames."""
    for record in records:
        length = LENGTH.pack(len(record))
        file.write(length + _checksum(length) + record + _checksum(record))


def read_features(record: bytes) -> dict[str, bytes]:
    """The features of an Example by name, each still packed; `write_features` packs them again."""
    features = {}
    for entry in (entry for part in _fields(record, 1) for entry in _fields(part, 1)):
        name = b"".join(_fields(entry, 1)).decode()
        features[name] = b"".join(_fields(entry, 2))
    return features


def write_features(features: Mapping[str, bytes]) -> bytes:
    """An Example with these features."""
    entries = (_field(1, name.encode()) + _field(2, feature) for name, feature in features.items())
    return _field(1, b"".join(_field(1, entry) for entry in entries))


def first_text(feature: bytes) -> str:
    """The first value of a feature of bytes, as UTF-8."""
    for values in _fields(feature, 1):
        for value in _fields(values, 1):
            return value.decode()
    raise PreparationError("A TFRecord has no text where its name is due.")


def _fields(message: bytes, number: int) -> Iterator[bytes]:
    """The contents of a message's fields of that number; fields of other kinds than bytes are passed over."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        match tag & 7:
            case 0:
                _, place = _varint(message, place)
            case 1:
                place += 8
            case 2:
                size, place = _varint(message, place)
                if tag >> 3 == number:
                    yield message[place : place + size]
                place += size
            case 5:
                place += 4
            case kind:
                raise PreparationError(f"A TFRecord has a field of kind {kind}, which an Example never has.")


def _field(number: int, content: bytes) -> bytes:
    return _as_varint(number << 3 | 2) + _as_varint(len(content)) + content


def _varint(message: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place after it."""
    value = shift = 0
    while place < len(message):
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place
    raise PreparationError("A TFRecord ends within a number.")


def _as_varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def _checksum(data: bytes) -> bytes:
    """The CRC as TFRecords write it: rotated, and a constant added."""
    crc = crc32c(data)
    return CHECKSUM.pack(((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)
