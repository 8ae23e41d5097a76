"""HTTP to an object store: one request, its answer, and whether a failure is worth another try.

The S3 store signs its own URLs and the workers are handed signed ones; from there on both talk through this module.
"""

from __future__ import annotations

import functools
import os
import ssl
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO

import certifi
import urllib3
from urllib3.exceptions import HTTPError, SSLError

from orchestrator.storage.retry import Transient
from orchestrator.storage.store import StoreError

CONNECT_SECONDS = 10
SILENCE_SECONDS = 60
CONNECTIONS = 16
"""Kept to one server."""
TRUSTED = "SSL_CERT_FILE"
"""The variable that names a file with the certificates to trust, and no others."""
TRANSIENT_STATUSES = (408, 429, 500, 502, 503, 504)
TRANSIENT_CODES = ("BadDigest", "ConditionalRequestConflict", "OperationAborted", "RequestTimeout", "SlowDown")

Url = Callable[[], str]
"""Makes the URL to ask, afresh for every try: signatures expire."""
Body = bytes | IO[bytes] | None


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    tries: int = 1

    @property
    def is_fine(self) -> bool:
        return 200 <= self.status < 300

    @property
    def code(self) -> str:
        """S3's word for an error, such as `NoSuchKey`; empty if there is none."""
        return self.find("Code")

    def find(self, name: str) -> str:
        """The text of an element of an XML error; empty if there is none."""
        root = None if self.is_fine else parse_xml(self.body)
        return (root.findtext(name) or "") if root is not None else ""

    def __str__(self) -> str:
        said = ": ".join(text for text in (self.code, self.find("Message").rstrip(". ")) if text)
        return f"the server answered {self.status}" + (f" ({said})" if said else "")


@functools.cache
def pool() -> urllib3.PoolManager:
    """The connections of this process."""
    return new_pool()


def new_pool() -> urllib3.PoolManager:
    """Connections that neither try again nor follow redirects: both are decided here."""
    return urllib3.PoolManager(
        maxsize=CONNECTIONS,
        retries=False,
        timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=SILENCE_SECONDS),
        ca_certs=os.environ.get(TRUSTED) or certifi.where(),
    )


def ask(method: str, url: str, *, body: Body = None, headers: Mapping[str, str] | None = None) -> Answer:
    """The server's answer, read whole; Transient if there was none or if it asks for another try."""
    response = send(method, url, body=body, headers=headers, stream=False)
    answer = Answer(response.status, response.headers, response.data)
    if is_transient(answer):
        raise Transient(str(answer))
    return answer


def open_stream(url: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse | Answer:
    """The answer to a GET with its body still to be read, or the whole answer if it is an error."""
    response = send("GET", url, headers={"Accept-Encoding": "identity", **headers}, stream=True)
    if response.status in (200, 206):
        return response
    try:
        answer = Answer(response.status, response.headers, response.read())
    except HTTPError as error:
        raise Transient(describe(error)) from error
    finally:
        response.release_conn()
    if is_transient(answer):
        raise Transient(str(answer))
    return answer


def send(
    method: str, url: str, *, stream: bool, body: Body = None, headers: Mapping[str, str] | None = None
) -> urllib3.BaseHTTPResponse:
    try:
        return pool().request(
            method, url, body=body, headers=dict(headers or {}), preload_content=not stream, decode_content=False
        )
    except HTTPError as error:
        raise failure(without_query(url), error) from error


def failure(url: str, error: HTTPError) -> StoreError | Transient:
    """What a request without an answer amounts to: final if the server is not to be trusted, else worth another try."""
    if isinstance(error, SSLError) and (why := unusable_certificates()):
        return StoreError(
            f"Cannot trust the server of {url}: {TRUSTED} names a file that can't be used ({why}); put there the "
            "certificate of the store's authority "
            "(in a cluster: into the namespace's ConfigMap that store.caConfigMap names)."
        )
    if isinstance(error, SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        return StoreError(
            f"Cannot trust the server of {url}: {error}; check the address, "
            f"or set {TRUSTED} to the certificates to trust (in a cluster: the chart's store.caConfigMap)."
        )
    return Transient(describe(error))


def unusable_certificates() -> str | None:
    """What is wrong with the file of certificates to trust, if anything is."""
    given = os.environ.get(TRUSTED)
    try:
        ssl.create_default_context(cafile=given or None)
    except OSError as error:
        return f"{given}: {error.strerror or error}"
    return None


def is_transient(answer: Answer) -> bool:
    return answer.status in TRANSIENT_STATUSES or answer.code in TRANSIENT_CODES


def describe(error: BaseException) -> str:
    """A failed connection in a few words: what the system said, without the library's wrapping."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror.lower()
        if isinstance(cause, TimeoutError):
            return "no answer in time"
        cause = cause.__cause__ or cause.__context__
    return f"the connection broke ({type(error).__name__})"


def without_query(url: str) -> str:
    """A URL as it may be shown: what follows `?` is a signature."""
    return url.partition("?")[0]


def parse_xml(text: bytes) -> ET.Element | None:
    """An S3 answer as a tree whose tags have no namespace; None if it is not XML."""
    try:
        root = ET.fromstring(text)  # noqa: S314 - expat of today refuses entity bombs, and the server is the user's own
    except ET.ParseError:
        return None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root
