"""Reading an object over connections that may break: as a stream, or into a file.

Each new connection asks for the rest of the same object (Range and If-Match), so that two versions never mix.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

from orchestrator.storage.blocks import BLOCK, blocks_of
from orchestrator.storage.drafts import Draft, folder_of
from orchestrator.storage.explain import explaining
from orchestrator.storage.retry import Patience, Transient, pause, persist
from orchestrator.storage.store import StoreError
from orchestrator.storage.web import Answer, Url, describe, open_stream

T = TypeVar("T")
Refuse = Callable[[Answer], StoreError]
"""Words for an answer that is final."""


class Changed(StoreError):
    """The object is not the one that reading started with."""


class ResumingStream(io.RawIOBase):
    """An object from an offset to its end, over as many connections as it takes."""

    def __init__(
        self, url: Url, action: str, refuse: Refuse, patience: Patience, *, offset: int = 0, etag: str = ""
    ) -> None:
        super().__init__()
        self.position = offset
        self.size = -1
        self.etag = etag
        self.headers: Mapping[str, str] = {}
        self._url, self._action, self._refuse, self._patience = url, action, refuse, patience
        self._response: BaseHTTPResponse | None = None
        self._persist(self._connect)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self.position >= self.size:
            return 0
        view = memoryview(buffer)
        return self._persist(lambda: self._read(view))

    def close(self) -> None:
        self._disconnect()
        super().close()

    def _persist(self, attempt: Callable[[], T]) -> T:
        waits = self._patience.waits()
        while True:
            try:
                return attempt()
            except Transient as error:
                self._disconnect()
                pause(self._action, error, waits, self._patience)

    def _read(self, buffer: memoryview) -> int:
        if self._response is None:
            self._connect()
        response = cast(BaseHTTPResponse, self._response)
        try:
            data = response.read1(len(buffer))
        except HTTPError as error:
            raise Transient(describe(error)) from error
        if not data:
            raise Transient(f"the connection ended at byte {self.position:,} of {self.size:,}")
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)

    def _connect(self) -> None:
        headers = {"Range": f"bytes={self.position}-"} if self.position else {}
        if self.etag:
            headers["If-Match"] = self.etag
        elif self.size >= 0 and self.position:
            raise StoreError(f"Cannot {self._action}: the connection broke and the server gives no ETag; start again.")
        response = open_stream(self._url(), headers)
        if isinstance(response, Answer):
            if response.status == 416:
                self.size = int((response.headers.get("Content-Range") or "").rpartition("/")[2] or self.position)
                return
            if response.status == 412:
                raise Changed(f"Cannot {self._action}: it was replaced while it was being read; start again.")
            raise self._refuse(response)
        self._accept(response)

    def _accept(self, response: BaseHTTPResponse) -> None:
        self._response, self.headers = response, response.headers
        self.etag = response.headers.get("ETag") or ""
        if "Content-Length" not in response.headers:
            raise StoreError(f"Cannot {self._action}: the server does not say how long it is; check that it speaks S3.")
        length = int(response.headers["Content-Length"])
        if response.status == 206:
            self.size = self.position + length
            return
        self.size = length
        to_skip = self.position
        while to_skip > 0:
            try:
                skipped = len(response.read(min(BLOCK, to_skip)))
            except HTTPError as error:
                raise Transient(describe(error)) from error
            if not skipped:
                raise Transient("the connection ended early")
            to_skip -= skipped

    def _disconnect(self) -> None:
        if self._response is not None:
            if self.position < self.size:
                self._response.close()
            self._response.release_conn()
            self._response = None


def fetch(url: Url, target: Path, action: str, refuse: Refuse, patience: Patience) -> None:
    """Bring an object into a file, atomically. What an earlier, broken try has left is not fetched again."""
    with explaining(action), folder_of(target) as folder:
        persist(action, lambda: fetch_into(folder, target.name, url, action, refuse, patience), patience)


def fetch_into(folder: int, name: str, url: Url, action: str, refuse: Refuse, patience: Patience) -> None:
    draft = Draft.take_up(folder, name)
    offset, etag = (draft.size, draft.tag) if draft else (0, "")
    try:
        stream = ResumingStream(url, action, refuse, patience, offset=offset, etag=etag)
    except BaseException as error:
        if draft and isinstance(error, Changed):
            draft.discard()
            raise Transient("it was replaced since the last try") from error
        if draft:
            draft.leave()
        raise
    with stream, draft or Draft.create(folder, name, tag=stream.etag) as draft:
        try:
            checksum = append(stream, draft)
        except (StoreError, KeyboardInterrupt):
            if draft.tag:
                draft.leave()
            raise
        if checksum != expected_md5(stream):
            raise Transient("what arrived does not match its checksum")
        draft.replace()


def append(stream: ResumingStream, draft: Draft) -> str | None:
    """Copy the rest of the stream into the draft; the MD5 of the whole if the server told which to expect."""
    md5 = hashlib.md5(usedforsecurity=False) if expected_md5(stream) else None
    if md5 and draft.size:
        os.lseek(draft.file, 0, os.SEEK_SET)
        with os.fdopen(os.dup(draft.file), "rb") as present:
            for block in blocks_of(present):
                md5.update(block)
    for block in blocks_of(cast(Any, stream)):
        if md5:
            md5.update(block)
        draft.write(block)
    return md5.hexdigest() if md5 else None


def expected_md5(stream: ResumingStream) -> str | None:
    """The object's MD5, where the ETag is that: not for uploads in parts, nor with keys of a key service."""
    encrypted = stream.headers.get("x-amz-server-side-encryption", "AES256") != "AES256"
    own_key = "x-amz-server-side-encryption-customer-algorithm" in stream.headers
    etag = stream.etag.strip('"')
    return etag if re.fullmatch(r"[0-9a-f]{32}", etag) and not (encrypted or own_key) else None
