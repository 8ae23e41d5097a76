"""Takes one file out of a multipart form, as curl -F and every HTTP library send it, without holding it in memory."""

from __future__ import annotations

from email.message import Message
from email.parser import BytesHeaderParser
from typing import IO, Protocol

CHUNK = 1 << 16
MOST_HEADER_BYTES = 1 << 14


class Readable(Protocol):
    """What a form is read from."""

    def read(self, size: int, /) -> bytes: ...


class BadUpload(Exception):
    """The body is not a form with that file in it; the message says what is wrong with it."""


def save_file(field: str, body: Readable, length: int, content_type: str, target: IO[bytes]) -> None:
    """Copy the form's file `field` into `target`. Whatever comes after it is not read."""
    form = Form(body, length, boundary_of(content_type))
    form.skip_part()
    while form.enter_part():
        headers = form.read_headers()
        if headers.get_param("name", header="content-disposition") == field:
            form.copy_part(target)
            return
        form.skip_part()
    raise BadUpload(f"The form has no field '{field}'; send the file in it, as in: curl -F {field}=@submission.csv URL")


def boundary_of(content_type: str) -> bytes:
    header = Message()
    header["Content-Type"] = content_type
    boundary = header.get_boundary()
    if header.get_content_type() != "multipart/form-data" or not boundary or len(boundary) > 200:
        raise BadUpload(f"The body is '{content_type[:80]}'; send a form (multipart/form-data) with the file in it.")
    return boundary.encode(errors="replace")


class Form:
    """A multipart body, read from front to back."""

    def __init__(self, body: Readable, length: int, boundary: bytes) -> None:
        self.body = body
        self.left = length
        self.delimiter = b"\r\n--" + boundary
        self.buffer = b"\r\n"  # the first delimiter may come without a line end before it

    def enter_part(self) -> bool:
        """After a delimiter: whether another part follows."""
        while len(self.buffer) < 2 and self._fill():
            pass
        end, self.buffer = self.buffer[:2], self.buffer[2:]
        if end not in (b"\r\n", b"--"):
            raise BadUpload("The form is broken: a boundary is not followed by a line end.")
        if end == b"\r\n":
            self.buffer = b"\r\n" + self.buffer  # a part without headers starts with the empty line that ends them
        return end == b"\r\n"

    def read_headers(self) -> Message:
        end = b"\r\n\r\n"
        while end not in self.buffer:
            if len(self.buffer) > MOST_HEADER_BYTES or not self._fill():
                raise BadUpload("The form is broken: the headers of a part have no end.")
        head, _, self.buffer = self.buffer.partition(end)
        return BytesHeaderParser().parsebytes(head.strip(b"\r\n"))

    def copy_part(self, target: IO[bytes]) -> None:
        self._until_delimiter(target)

    def skip_part(self) -> None:
        self._until_delimiter(None)

    def _until_delimiter(self, target: IO[bytes] | None) -> None:
        keep = len(self.delimiter) - 1
        while self.delimiter not in self.buffer:
            done, self.buffer = self.buffer[:-keep], self.buffer[-keep:]
            if target is not None:
                target.write(done)
            if not self._fill():
                raise BadUpload("The form ends in the middle of a file: the upload was cut off.")
        last, _, self.buffer = self.buffer.partition(self.delimiter)
        if target is not None:
            target.write(last)

    def _fill(self) -> bool:
        chunk = self.body.read(min(CHUNK, self.left))
        self.left -= len(chunk)
        self.buffer += chunk
        return bool(chunk)
