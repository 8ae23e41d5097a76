"""What a request to an API server can come to, with the server's own sentence.

ApiError
├── NotFound        the object, or the namespace it should be in, is not there
├── NotServed       the API server does not know this kind at all: its CRD is not installed
├── AlreadyExists   an object of that name is there
├── Conflict        somebody else changed the object first
├── Unauthorized    the credentials are not accepted
├── Forbidden       the credentials lack the right
├── Invalid         the object breaks a rule of its kind
├── Gone            the version asked for is too old: list again
└── Unavailable     no answer, or none for now: the same request may succeed later
"""

from __future__ import annotations

import json
from typing import Any


class ApiError(Exception):
    """A request failed. `status` is the HTTP status (0: there was no answer), `reason` the API server's one word."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message


class NotFound(ApiError):
    pass


class NotServed(ApiError):
    pass


class AlreadyExists(ApiError):
    pass


class Conflict(ApiError):
    pass


class Unauthorized(ApiError):
    pass


class Forbidden(ApiError):
    pass


class Invalid(ApiError):
    pass


class Gone(ApiError):
    pass


class Unavailable(ApiError):
    """`retry_after` is how many seconds the API server asked to be left alone, if it did."""

    def __init__(self, status: int, reason: str, message: str, retry_after: float | None = None) -> None:
        super().__init__(status, reason, message)
        self.retry_after = retry_after


_BY_STATUS: dict[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    413: Invalid,
    415: Invalid,
    422: Invalid,
}


def error_of(status: int, body: bytes, request: str, retry_after: float | None = None) -> ApiError:
    """The error that an answer stands for. `request` says what was asked, such as "get jobs.batch a/b"."""
    told = _status_object(body)
    if told is None:
        return _error_without_words(status, body, request, retry_after)
    return error_told(told, request, status, retry_after)


def error_told(told: dict[str, Any], request: str, status: int = 0, retry_after: float | None = None) -> ApiError:
    """The error that a Kubernetes Status object stands for, be it an answer or news in a watch."""
    code = int(told.get("code") or status)
    reason = str(told.get("reason") or "")
    message = str(told.get("message") or f"{request} failed with {code} {reason}".rstrip())
    details = told.get("details") or {}
    if reason == "AlreadyExists":
        return AlreadyExists(code, reason, message)
    if code == 401:
        message = f"{message}: the API server does not accept these credentials; log in again."
    if code == 429 or code >= 500:
        after = details.get("retryAfterSeconds") if retry_after is None else retry_after
        return Unavailable(code, reason, message, None if after is None else float(after))
    return _BY_STATUS.get(code, ApiError)(code, reason, message)


def _error_without_words(status: int, body: bytes, request: str, retry_after: float | None) -> ApiError:
    if status == 404:
        return NotServed(
            status, "NotServed", f"{request}: the API server does not know this kind; is its CRD installed?"
        )
    words = body[:200].decode(errors="replace").strip()
    message = f"{request} failed with HTTP {status}: {words}" if words else f"{request} failed with HTTP {status}"
    if status == 429 or status >= 500:
        return Unavailable(status, "", message, retry_after)
    return _BY_STATUS.get(status, ApiError)(status, "", message)


def _status_object(body: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(body)
    except ValueError:
        return None
    return told if isinstance(told, dict) and told.get("kind") == "Status" else None
