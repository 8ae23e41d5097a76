"""BSON files, documents end to end, read in place: where each begins, and where its elements are.

Only lengths and the elements asked for are looked at, so that a file of many gigabytes of pictures is gone through
without reading most of it.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from preparers.errors import PreparationError

INT32 = struct.Struct("<i")
FIXED = {0x01: 8, 0x07: 12, 0x08: 1, 0x09: 8, 0x0A: 0, 0x10: 4, 0x11: 8, 0x12: 8, 0x13: 16}
"""Bytes of the kinds of value that have a fixed size."""
COUNTED = {0x02: 4, 0x03: 0, 0x04: 0, 0x05: 5}
"""Text, object, array, binary: what a value takes beside the number of bytes that it begins with."""
WHOLE_NUMBER = 0x10


@dataclass(frozen=True)
class Element:
    """A named value of a document, by its place in the file."""

    kind: int
    start: int
    """Where the element begins, with its kind and name."""
    value: int
    """Where its value begins."""
    end: int


def document_starts(content: mmap.mmap) -> Iterator[int]:
    """Where each document begins, and in the end where the last one ends."""
    place = 0
    while place < len(content):
        yield place
        size = INT32.unpack_from(content, place)[0] if place + 4 <= len(content) else 0
        if size < 5 or place + size > len(content):
            raise PreparationError(f"The document at byte {place:,} is cut off: was the file downloaded completely?")
        place += size
    yield place


def find_elements(content: mmap.mmap, start: int, *names: bytes) -> list[Element]:
    """The elements of the document that begins there, by name, in the order in which they are asked for."""
    found: dict[bytes, Element] = {}
    place, end = start + INT32.size, start + INT32.unpack_from(content, start)[0] - 1
    while place < end and len(found) < len(names):
        kind, close = content[place], content.find(b"\0", place + 1, end)
        value = close + 1
        size = FIXED.get(kind)
        if size is None:
            if kind not in COUNTED or close < 0:
                raise PreparationError(f"The document at byte {start:,} has an element of an unknown kind, {kind}.")
            size = COUNTED[kind] + INT32.unpack_from(content, value)[0]
        name = content[place + 1 : close]
        if name in names:
            found[name] = Element(kind, place, value, value + size)
        place = value + size
    missing = [name.decode() for name in names if name not in found]
    if missing:
        raise PreparationError(f"The document at byte {start:,} has no {' and no '.join(missing)}.")
    return [found[name] for name in names]


def whole_number(content: mmap.mmap, element: Element) -> int:
    """An element's value, which must be a whole number of 32 bits."""
    if element.kind != WHOLE_NUMBER:
        raise PreparationError(f"The element at byte {element.start:,} is no whole number of 32 bits.")
    number: int = INT32.unpack_from(content, element.value)[0]
    return number


def without(content: mmap.mmap, start: int, element: Element) -> bytes:
    """The document that begins there without one of its elements."""
    size = INT32.unpack_from(content, start)[0]
    left = size - (element.end - element.start)
    return b"".join([INT32.pack(left), content[start + 4 : element.start], content[element.end : start + size]])
