"""Uploads in parts: a large object goes up piece by piece and appears whole when its parts are put together.

A file's upload that breaks off leaves its parts at the server. The next try finds them and sends only what is missing
or different, which the parts' checksums tell.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape

from orchestrator.storage.blocks import fill
from orchestrator.storage.bucket import Bucket
from orchestrator.storage.retry import Transient, persist
from orchestrator.storage.store import StoreError
from orchestrator.storage.web import Answer, parse_xml

PART = 8 << 20
MOST_PARTS = 10_000
AT_ONCE = 3
ENDED = "somebody else ended or aborted its upload; start again"


def put_bytes(bucket: Bucket, key: str, data: bytes, action: str) -> None:
    """Put an object in one request."""
    bucket.ask("PUT", key, action, body=data, headers=checksum(data))


def put_new(bucket: Bucket, key: str, data: bytes, action: str) -> Answer:
    """Put an object in one request unless the key is taken, which is answered with 412 (or 501: cannot be asked)."""
    return bucket.ask(
        "PUT", key, action, body=data, headers={"If-None-Match": "*", **checksum(data)}, accept=(412, 501)
    )


def upload_file(bucket: Bucket, key: str, source: Path, action: str) -> None:
    """Put a file in place in parts, going on with an upload that broke off."""
    size = source.stat().st_size
    part_size = max(PART, -(-size // MOST_PARTS))
    upload = Upload(bucket, key, action, find_unfinished(bucket, key))
    present = upload.parts() if upload.is_resumed else {}
    with source.open("rb") as file, ThreadPoolExecutor(AT_ONCE) as pool:

        def send(number: int) -> str:
            start = (number - 1) * part_size
            data = os.pread(file.fileno(), part_size, start)
            if len(data) != min(part_size, size - start):
                raise StoreError(f"Cannot {action}: the file changed while it was read; start again.")
            etag = f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'
            return etag if present.get(number) == (etag, len(data)) else upload.send(number, data)

        etags = list(pool.map(send, range(1, -(-size // part_size) + 1)))
    upload.complete(etags)


def upload_stream(bucket: Bucket, key: str, source: IO[bytes], action: str) -> int:
    """Put a stream in place, its parts sent while the next one is read; the number of bytes written."""
    first = fill(source, PART)
    if len(first) < PART:
        put_bytes(bucket, key, first, action)
        return len(first)
    upload = Upload(bucket, key, action)
    written = 0
    etags: dict[int, Future[str]] = {}
    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            running: set[Future[str]] = set()
            for number, data in enumerate(parts_of(source, first), start=1):
                etags[number] = pool.submit(upload.send, number, data)
                written += len(data)
                running.add(etags[number])
                while len(running) >= AT_ONCE:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        future.result()
            upload.complete([etags[number].result() for number in sorted(etags)])
    except BaseException:
        upload.abort()
        raise
    return written


def parts_of(source: IO[bytes], first: bytes) -> Iterator[bytes]:
    """A stream of unknown length in parts that grow with their number, so that 10,000 of them hold anything."""
    number, data = 1, first
    while data:
        yield data
        number += 1
        data = fill(source, part_size(number))


def part_size(number: int) -> int:
    return PART << (number // 1000)


def find_unfinished(bucket: Bucket, key: str) -> str | None:
    """An upload to go on with; None also where these credentials may not list uploads."""
    try:
        return bucket.unfinished_upload(key)
    except StoreError:
        return None


class Upload:
    """One upload in parts of one key."""

    def __init__(self, bucket: Bucket, key: str, action: str, upload_id: str | None = None) -> None:
        self.bucket, self.key, self.action = bucket, key, action
        self.is_resumed = upload_id is not None
        self.id = upload_id or self._begin()

    def _begin(self) -> str:
        answer = self.bucket.ask("POST", self.key, self.action, query={"uploads": ""})
        root = parse_xml(answer.body)
        upload_id = root.findtext("UploadId") if root is not None else None
        if not upload_id:
            raise StoreError(
                f"Cannot {self.action}: the server began an upload without an id; check that it speaks S3."
            )
        return upload_id

    def parts(self) -> dict[int, tuple[str, int]]:
        """ETag and size of each part that the server has, by number."""
        found: dict[int, tuple[str, int]] = {}
        marker = "0"
        while True:
            query = {"uploadId": self.id, "part-number-marker": marker}
            root = parse_xml(self.bucket.ask("GET", self.key, self.action, query=query).body)
            if root is None:
                return found
            for part in root.iter("Part"):
                etag, size = part.findtext("ETag", ""), int(part.findtext("Size", "0"))
                found[int(part.findtext("PartNumber", "0"))] = (f'"{etag.strip(chr(34))}"', size)
            marker = root.findtext("NextPartNumberMarker") or "0"
            if root.findtext("IsTruncated") != "true" or marker == "0":
                return found

    def send(self, number: int, data: bytes) -> str:
        """Send a part; its ETag."""
        query = {"uploadId": self.id, "partNumber": str(number)}
        answer = self.bucket.ask(
            "PUT", self.key, self.action, query=query, body=data, headers=checksum(data), accept=(404,)
        )
        if answer.status == 404:
            raise StoreError(f"Cannot {self.action}: {ENDED}.")
        return answer.headers["ETag"]

    def complete(self, etags: list[str]) -> None:
        """Put the parts together: the object appears."""
        parts = "".join(
            f"<Part><PartNumber>{number}</PartNumber><ETag>{escape(etag)}</ETag></Part>"
            for number, etag in enumerate(etags, start=1)
        )
        body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
        answer = persist(self.action, lambda: self._put_together(body), self.bucket.patience)
        if answer.status == 404 and not self._is_there(etags):
            raise StoreError(f"Cannot {self.action}: {ENDED}.")

    def _put_together(self, body: bytes) -> Answer:
        """Of all requests, this one may be answered with 200 and an error in the text."""
        answer = self.bucket.ask("POST", self.key, self.action, query={"uploadId": self.id}, body=body, accept=(404,))
        root = parse_xml(answer.body)
        if answer.is_fine and root is not None and root.tag == "Error":
            raise Transient(f"the server answered {root.findtext('Code')}")
        return answer

    def _is_there(self, etags: list[str]) -> bool:
        """Whether the object is the one that these parts make: the answer to an earlier try may have been lost."""
        try:
            joined = b"".join(bytes.fromhex(etag.strip('"')) for etag in etags)
        except ValueError:
            return False
        whole = f'"{hashlib.md5(joined, usedforsecurity=False).hexdigest()}-{len(etags)}"'
        answer = self.bucket.ask("HEAD", self.key, self.action, accept=(404,))
        return answer.headers.get("ETag") == whole

    def abort(self) -> None:
        """Have the server forget the parts; what it keeps is cleared by the bucket's own rules."""
        try:
            self.bucket.ask("DELETE", self.key, self.action, query={"uploadId": self.id}, accept=(404,))
        except StoreError:
            return


def checksum(data: bytes) -> dict[str, str]:
    """The header by which a server refuses what was damaged on the way."""
    digest = hashlib.md5(data, usedforsecurity=False).digest()
    return {"Content-MD5": base64.b64encode(digest).decode()}
