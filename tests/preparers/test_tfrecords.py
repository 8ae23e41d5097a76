"""TFRecord files, read and written; their checksums against the textbook's byte by byte form."""

from __future__ import annotations

import io
import struct

import pytest

from preparers.errors import PreparationError
from preparers.toolkit.crc32c import crc32c
from preparers.toolkit.tfrecords import first_text, read_features, read_records, write_features, write_records

NAME = b"\x0a\x04\x0a\x02hi"
NUMBER = b"\x1a\x03\x0a\x01\x07"


def bit_by_bit(data: bytes) -> int:
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 255, 256, 257, 511, 512, 513, 1500])
def test_checksums_are_those_of_crc_32c(size: int) -> None:
    data = bytes(k * k * 31 % 251 for k in range(size))

    assert crc32c(data) == bit_by_bit(data)


def test_records_come_back_as_they_were_written() -> None:
    records, file = [b"one", b"", b"x" * 1000], io.BytesIO()

    write_records(file, records)

    file.seek(0)
    assert list(read_records(file)) == records


def test_a_record_stands_in_a_frame_of_length_and_checksums() -> None:
    file = io.BytesIO()

    write_records(file, [b"123456789"])

    rotated = (0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8 & 0xFFFFFFFF
    assert file.getvalue()[:8] == struct.pack("<Q", 9)
    assert file.getvalue()[12:] == b"123456789" + struct.pack("<I", rotated)


@pytest.mark.parametrize("cut", [1, 5, 14])
def test_a_file_that_was_cut_off_is_told(cut: int) -> None:
    file = io.BytesIO()
    write_records(file, [b"one"])

    with pytest.raises(PreparationError, match="ends within a record"):
        list(read_records(io.BytesIO(file.getvalue()[:-cut])))


def test_features_are_read_by_name_whatever_they_hold() -> None:
    packed = write_features({"target": NUMBER, "image_name": NAME, "image": b"x" * 300})

    assert read_features(packed) == {"target": NUMBER, "image_name": NAME, "image": b"x" * 300}
    assert first_text(read_features(packed)["image_name"]) == "hi"


def test_a_feature_without_text_is_told() -> None:
    with pytest.raises(PreparationError, match="no text"):
        first_text(NUMBER)
