"""What the rest of the project asks of an object store. `filesystem.py` and `s3.py` answer."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO, Literal, NamedTuple, Protocol


class StoreError(Exception):
    """The store could not do what was asked; the message says what, where and what to do. Nothing was half-written."""


class ObjectInfo(NamedTuple):
    """What a store knows of an object without reading it."""

    key: str
    size: int


class Store(Protocol):
    """A bucket, or a prefix of one: objects by key, whole or not at all."""

    url: str
    """Where this store is, such as `file:///data/runs` or `s3://runs`; never with credentials in it."""
    at_once: int
    """How many small requests at the same time pay: a server can answer several, a folder is fastest one by one."""

    def read(self, key: str) -> bytes | None:
        """The object's bytes, or None if there is no such object."""
        ...

    def open(self, key: str, *, offset: int = 0) -> IO[bytes]:
        """A stream over the object from `offset` on, for objects too large to hold in memory."""
        ...

    def stat(self, key: str) -> ObjectInfo | None:
        """Size of an object, or None if there is no such object."""
        ...

    def write(self, key: str, data: bytes) -> None:
        """Put an object in place atomically: a reader sees the old one or the new one, never a part."""
        ...

    def write_new(self, key: str, data: bytes) -> bool:
        """Write only if the key is free; False, and nothing changed, if it is taken."""
        ...

    def upload(self, key: str, source: Path) -> None:
        """Put a file in place atomically, streaming, in parts where it is large; resumes after a broken connection."""
        ...

    def upload_stream(self, key: str, source: IO[bytes]) -> int:
        """Put a stream of unknown length in place atomically; the number of bytes written."""
        ...

    def download(self, key: str, target: Path) -> None:
        """Fetch an object into a file, atomically; a half-fetched one is taken up where it stopped."""
        ...

    def keys(self, prefix: str) -> Iterator[str]:
        """Every key that starts with prefix, in order."""
        ...

    def delete(self, key: str) -> None:
        """Remove an object; fine if it is not there."""
        ...

    def presign(self, key: str, method: Literal["GET", "PUT"], expires: timedelta) -> str:
        """A URL that allows just this method on just this key until it expires (`file://` for a local store)."""
        ...
