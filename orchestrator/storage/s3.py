"""A store in an S3 bucket, or below a prefix of one."""

import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import IO, Literal, cast

from orchestrator.storage import multipart, web
from orchestrator.storage.blocks import BLOCK
from orchestrator.storage.bucket import Bucket
from orchestrator.storage.explain import explaining
from orchestrator.storage.keys import checked, checked_prefix
from orchestrator.storage.resuming import ResumingStream, fetch
from orchestrator.storage.store import ObjectInfo, StoreError

LARGEST_PUT = 64 << 20


class S3Store:
    """Objects of a bucket whose keys start with a prefix."""

    at_once = web.CONNECTIONS

    def __init__(self, bucket: Bucket, prefix: str = "") -> None:
        self.bucket = bucket
        self.prefix = f"{prefix}/" if prefix else ""
        self.url = bucket.url(prefix)
        self.name = f"s3://{bucket.name}/{self.prefix}".rstrip("/")

    def __repr__(self) -> str:
        return f"S3Store({self.url!r})"

    def read(self, key: str) -> bytes | None:
        action = f"read {key!r} in {self.name}"
        answer = self.bucket.ask("GET", self._full(key), action, accept=(404,))
        return None if answer.status == 404 else answer.body

    def open(self, key: str, *, offset: int = 0) -> IO[bytes]:
        action, full = f"read {key!r} in {self.name}", self._full(key)
        raw = ResumingStream(
            lambda: self.bucket.sign("GET", full),
            action,
            lambda answer: self.bucket.refusal(action, answer),
            self.bucket.patience,
            offset=offset,
        )
        return cast(IO[bytes], io.BufferedReader(raw, BLOCK))

    def stat(self, key: str) -> ObjectInfo | None:
        answer = self.bucket.ask("HEAD", self._full(key), f"look at {key!r} in {self.name}", accept=(404,))
        if answer.status != 404:
            return ObjectInfo(key, int(answer.headers.get("Content-Length", 0)))
        if not self.bucket.exists():
            raise StoreError(
                f"There is no bucket {self.bucket.name!r} at {self.bucket.endpoint}; "
                "create it, or correct the store's URL."
            )
        return None

    def write(self, key: str, data: bytes) -> None:
        full, action = self._full(key), f"write {key!r} in {self.name}"
        if len(data) <= LARGEST_PUT:
            multipart.put_bytes(self.bucket, full, data, action)
        else:
            multipart.upload_stream(self.bucket, full, io.BytesIO(data), action)

    def write_new(self, key: str, data: bytes) -> bool:
        """As the protocol says where the server honours `If-None-Match`; elsewhere two writers at once may both win."""
        if self.stat(key) is not None:
            return False
        full, action = self._full(key), f"write {key!r} in {self.name}"
        answer = multipart.put_new(self.bucket, full, data, action)
        if answer.status == 501:
            self.write(key, data)
        if answer.status == 412:
            # It may be the echo of a first try whose answer was lost: then the object is the one we sent.
            return answer.tries > 1 and self.read(key) == data
        return True

    def upload(self, key: str, source: Path) -> None:
        full, action = self._full(key), f"upload {source} as {key!r} to {self.name}"
        with explaining(f"read {source}"):
            if source.stat().st_size <= multipart.PART:
                multipart.put_bytes(self.bucket, full, source.read_bytes(), action)
            else:
                multipart.upload_file(self.bucket, full, source, action)

    def upload_stream(self, key: str, source: IO[bytes]) -> int:
        return multipart.upload_stream(self.bucket, self._full(key), source, f"write {key!r} in {self.name}")

    def download(self, key: str, target: Path) -> None:
        action, full = f"fetch {key!r} of {self.name} into {target}", self._full(key)
        sign, refuse = self.bucket.sign, self.bucket.refusal
        fetch(lambda: sign("GET", full), target, action, lambda answer: refuse(action, answer), self.bucket.patience)

    def keys(self, prefix: str) -> Iterator[str]:
        """Sorted here, because servers do not agree on an order (SeaweedFS lists `a/b` before `a-b`)."""
        found = self.bucket.objects(self.prefix + checked_prefix(prefix))
        return iter(sorted((item.key.removeprefix(self.prefix) for item in found), key=str.encode))

    def delete(self, key: str) -> None:
        self.bucket.ask("DELETE", self._full(key), f"delete {key!r} in {self.name}", accept=(404,))

    def presign(self, key: str, method: Literal["GET", "PUT"], expires: timedelta) -> str:
        return self.bucket.sign(method, self._full(key), expires=expires)

    def _full(self, key: str) -> str:
        return self.prefix + checked(key)
