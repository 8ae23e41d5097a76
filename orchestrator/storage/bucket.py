"""An S3 bucket on the wire: signed requests, listings, and words for what the server refuses."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple, TypeVar
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from minio import Minio
from minio.error import InvalidResponseError, S3Error, ServerError
from minio.helpers import check_bucket_name
from urllib3.exceptions import HTTPError

from orchestrator.storage.retry import PATIENCE, Patience, Transient, pause, persist
from orchestrator.storage.store import ObjectInfo, StoreError
from orchestrator.storage.web import (
    TRANSIENT_CODES,
    TRANSIENT_STATUSES,
    Answer,
    Body,
    ask,
    failure,
    new_pool,
)

T = TypeVar("T")

SIGNED_FOR = timedelta(hours=1)
LONGEST_SIGNATURE = timedelta(days=7)


class Credentials(NamedTuple):
    """Of an S3 account."""

    access_key: str
    secret_key: str
    session_token: str | None = None


class Bucket:
    """A bucket at an endpoint, asked with credentials."""

    def __init__(
        self,
        name: str,
        endpoint: str,
        region: str | None,
        credentials: Credentials,
        patience: Patience = PATIENCE,
    ) -> None:
        try:
            check_bucket_name(name, strict=True)
        except ValueError as error:
            raise StoreError(f"{name!r} cannot be a bucket ({error}); correct the store's URL.") from error
        parts = urlsplit(endpoint)
        self.name, self.endpoint, self.region, self.patience = name, endpoint, region, patience
        self.client = Minio(
            parts.netloc,
            access_key=credentials.access_key,
            secret_key=credentials.secret_key,
            session_token=credentials.session_token,
            secure=parts.scheme == "https",
            region=region,
            http_client=new_pool(),
        )

    def url(self, prefix: str) -> str:
        """How `open_store` is told of a prefix of this bucket."""
        path = f"/{quote(prefix)}" if prefix else ""
        region = f"&region={quote(self.region)}" if self.region else ""
        return f"s3://{self.name}{path}?endpoint={quote(self.endpoint, safe=':/')}{region}"

    def sign(
        self, method: str, key: str, *, expires: timedelta = SIGNED_FOR, query: Mapping[str, str] | None = None
    ) -> str:
        """A URL that allows one method on one key until it expires."""
        if not timedelta(seconds=1) <= expires <= LONGEST_SIGNATURE:
            raise StoreError(f"A URL cannot be signed for {expires}; S3 allows from one second to seven days.")

        def sign() -> str:
            return self.client.get_presigned_url(method, self.name, key, expires, extra_query_params=dict(query or {}))

        return self.persist(f"find the region of s3://{self.name}", sign)

    def ask(
        self,
        method: str,
        key: str,
        action: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Body = None,
        headers: Mapping[str, str] | None = None,
        accept: tuple[int, ...] = (),
    ) -> Answer:
        """The answer if it is fine or of an accepted status; tries again where that may help, else a StoreError."""

        tries = itertools.count(1)

        def attempt() -> Answer:
            number = next(tries)
            return replace(ask(method, self.sign(method, key, query=query), body=body, headers=headers), tries=number)

        answer = persist(action, attempt, self.patience)
        if answer.is_fine or (answer.status in accept and answer.code != "NoSuchBucket"):
            return answer
        raise self.refusal(action, answer)

    def persist(self, action: str, attempt: Callable[[], T]) -> T:
        """Call into the minio client until it gets through."""
        return persist(action, lambda: self._translate(action, attempt), self.patience)

    def objects(self, prefix: str) -> Iterator[ObjectInfo]:
        """Every object whose key starts with the prefix, in the server's order; goes on where a connection broke."""
        action = f"list {prefix!r} in s3://{self.name}"
        last: str | None = None
        waits = self.patience.waits()
        while True:
            try:
                found = self.client.list_objects(self.name, prefix=prefix, recursive=True, start_after=last)
                while (item := self._translate(action, lambda: next(found, None))) is not None:  # noqa: B023
                    last = item.object_name
                    waits = self.patience.waits()
                    yield ObjectInfo(last, item.size)
                return
            except Transient as error:
                pause(action, error, waits, self.patience)

    def unfinished_upload(self, key: str) -> str | None:
        """The id of the latest upload in parts of this very key that was begun and not ended; None if there is none."""

        def find() -> str | None:
            found = self.client._list_multipart_uploads(self.name, prefix=key).uploads
            own = [upload for upload in found if upload.object_name == key]
            return max(own, key=lambda upload: str(upload.initiated_time)).upload_id if own else None

        return self.persist(f"list the uploads of {key!r} in s3://{self.name}", find)

    def exists(self) -> bool:
        """Whether the bucket is there, as far as these credentials may know."""
        try:
            return self.persist(f"look for s3://{self.name}", lambda: self.client.bucket_exists(self.name))
        except StoreError:
            return True

    def make(self) -> None:
        """Have the bucket there; fine if it is already, even if somebody else makes it at the same time."""

        def attempt() -> None:
            try:
                if not self.client.bucket_exists(self.name):
                    self.client.make_bucket(self.name)
            except S3Error as error:
                if error.code not in ("BucketAlreadyExists", "BucketAlreadyOwnedByYou"):
                    raise

        self.persist(f"make the bucket s3://{self.name}", attempt)

    def refusal(self, action: str, answer: Answer) -> StoreError:
        return StoreError(f"Cannot {action} at {self.endpoint}: {self._advise(answer)}.")

    def _advise(self, answer: Answer) -> str:
        if answer.code == "NoSuchBucket":
            return f"there is no bucket {self.name!r}; create it, or correct the store's URL"
        if answer.code in ("RequestTimeTooSkewed", "RequestExpired"):
            return f"{answer}; set this machine's clock right"
        if answer.code in ("InvalidAccessKeyId", "SignatureDoesNotMatch"):
            return f"{answer}; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        if answer.status in (301, 307, 308):
            return f"{answer}, so the bucket is elsewhere; correct the endpoint or the region in the store's URL"
        if answer.status in (401, 403):
            return f"{answer}; check that these credentials may do this in bucket {self.name!r}"
        if answer.status == 404:
            return "there is no such object; check the key, or make it first"
        return f"{answer}; check the store's URL and the server's log"

    def _translate(self, action: str, attempt: Callable[[], T]) -> T:
        """Turn errors of the minio client into Transient or a StoreError."""
        try:
            return attempt()
        except S3Error as error:
            answer = Answer(error.response.status, error.response.headers)
            if answer.status in TRANSIENT_STATUSES or error.code in TRANSIENT_CODES:
                raise Transient(f"the server answered {answer.status} ({error.code})") from error
            said = f"<Code>{escape(error.code or '')}</Code><Message>{escape(error.message or '')}</Message>"
            answer = replace(answer, body=f"<Error>{said}</Error>".encode())
            raise self.refusal(action, answer) from error
        except ServerError as error:
            raise Transient(f"the server answered {error.status_code}") from error
        except InvalidResponseError as error:
            raise Transient("the server's answer was not S3's") from error
        except HTTPError as error:
            raise failure(self.endpoint, error) from error
