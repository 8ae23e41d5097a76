"""How much a submission may ask of us, checked before pandas sees a byte of it.

pandas takes time that grows with the square of the number of columns, and memory for every cell however small. So the
file's size, its commas and line ends, and the width of its first two rows are counted here, in steady memory. (Only the
first row of data may be wider than the header: pandas makes an index of the surplus, and refuses wider rows later on.)
"""

from __future__ import annotations

import mmap
import os
import re
from typing import IO

import numpy as np

from graders.errors import InvalidSubmission, Reason

MAX_BYTES = 2 << 30
"""The largest honest submission, a sample with texts in it (facebook-recruiting-iii), is a third of that."""
MAX_ROWS = 25_000_000
"""The longest honest one (icecube) has 13 million."""
MAX_COLUMNS = 1_000
"""The widest honest one (dog-breed) has 121."""
MAX_SEPARATORS = 80_000_000
"""Commas and line ends. pandas takes 85 bytes for a short cell of text (measured), so that these are 7 GB at the worst,
in a grader that is given 16; honest ones stay below 40 million (icecube: 13 million rows of three columns)."""

_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_FIELD = re.compile(rb'"[^"]*(?:""[^"]*)*"?[^,\r\n]*|[^,\r\n]*')
"""A quoted field with whatever follows its closing quote, or a plain one; as pandas and Python's csv module see it."""


def check_bulk(file: IO[bytes]) -> None:
    """Reject a file that is too large to be read, or too wide."""
    size = os.fstat(file.fileno()).st_size
    check_limit(size, MAX_BYTES, "bytes")
    if size == 0:
        return
    separators = 0
    while block := file.read(_BLOCK):
        separators += _count_separators(block)
        check_limit(separators, MAX_SEPARATORS, "commas and line ends")
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        start = _check_width(content, len(_BOM) if content[:3] == _BOM else 0)
        _check_width(content, start)


def _count_separators(block: bytes) -> int:
    """Commas and line ends; numpy looks at many bytes at once, where `bytes.count` goes from one find to the next."""
    values = np.frombuffer(block, dtype=np.uint8)
    return sum(int(np.count_nonzero(values == separator)) for separator in b",\n\r")


def check_limit(found: int, most: int, what: str) -> None:
    """Reject a submission that has more of something than is read."""
    if found > most:
        raise InvalidSubmission(
            Reason.TOO_LARGE,
            f"The submission has {found:,} {what} or more; the most that is read is {most:,}.",
            hint="hand in one row for each row of the sample submission, with its columns",
        )


def _check_width(content: mmap.mmap, start: int) -> int:
    """Count the fields of the first row from `start` on that is not blank, and return where it ends."""
    fields, place = 0, start
    while place < len(content):
        field = _FIELD.match(content, place)
        assert field is not None, "the expression matches the empty field at least"
        fields += 1
        check_limit(fields, MAX_COLUMNS, "columns")
        place = field.end() + 1
        is_end_of_row = content[field.end() : place] != b","
        if is_end_of_row and (fields > 1 or content[field.start() : field.end()].strip()):
            break
        if is_end_of_row:
            fields = 0
    return place
