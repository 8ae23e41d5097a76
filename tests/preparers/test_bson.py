"""BSON documents, found and cut without decoding them."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from preparers.errors import PreparationError
from preparers.toolkit.bson import document_starts, find_elements, whole_number, without


def element(kind: int, name: str, value: bytes) -> bytes:
    return bytes([kind]) + name.encode() + b"\0" + value


def number(name: str, value: int) -> bytes:
    return element(0x10, name, struct.pack("<i", value))


def document(*elements: bytes) -> bytes:
    body = b"".join(elements)
    return struct.pack("<i", len(body) + 5) + body + b"\0"


PICTURE = element(0x04, "imgs", document(element(0x03, "0", document(element(0x05, "p", b"\x03\0\0\0\0\0\1\2")))))
OTHERS = (
    element(0x01, "price", struct.pack("<d", 1.5)),
    element(0x02, "title", b"\x03\0\0\0ab\0"),
    element(0x08, "sold", b"\1"),
    element(0x0A, "none", b""),
    element(0x12, "long", struct.pack("<q", 7)),
)


@contextmanager
def mapped(path: Path, content: bytes) -> Iterator[mmap.mmap]:
    path.write_bytes(content)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
        yield pages


def read_ids(pages: mmap.mmap) -> list[int]:
    starts = list(document_starts(pages))[:-1]
    return [whole_number(pages, one) for start in starts for one in find_elements(pages, start, b"_id")]


def test_elements_are_found_in_any_order_among_others(tmp_path: Path) -> None:
    documents = [
        document(number("_id", 7), PICTURE, number("category_id", 1000010653)),
        document(*OTHERS, number("category_id", -2), PICTURE, number("_id", 9)),
    ]
    with mapped(tmp_path / "f", b"".join(documents)) as pages:
        starts = list(document_starts(pages))
        found = [
            [whole_number(pages, one) for one in find_elements(pages, start, b"_id", b"category_id")]
            for start in starts[:-1]
        ]

    assert starts == [0, len(documents[0]), len(documents[0]) + len(documents[1])]
    assert found == [[7, 1000010653], [9, -2]]


def test_a_document_without_an_element_is_the_one_written_without_it(tmp_path: Path) -> None:
    for before, after in (((number("_id", 7), PICTURE), ()), ((), (PICTURE, *OTHERS))):
        with mapped(tmp_path / "f", document(*before, number("category_id", 5), *after)) as pages:
            [category] = find_elements(pages, 0, b"category_id")
            assert without(pages, 0, category) == document(*before, *after)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(document(number("_id", 7))[:-3], "cut off", id="a file that ends within a document"),
        pytest.param(b"\1\0\0\0\0", "cut off", id="a length that can't be"),
        pytest.param(document(PICTURE), "has no _id", id="an element that is not there"),
        pytest.param(document(element(0x42, "what", b"")), "unknown kind, 66", id="a kind that does not exist"),
        pytest.param(document(element(0x12, "_id", bytes(8))), "no whole number", id="a number of 64 bits"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(content: bytes, problem: str, tmp_path: Path) -> None:
    with mapped(tmp_path / "f", content) as pages, pytest.raises(PreparationError, match=problem):
        read_ids(pages)
