"""Run tokens: what a courier shows to the validation service to speak for its run.

A token is a ticket (experiment, competition, seed, attempt, benchmark version, expiry) and its HMAC under a key that
only the controller and the service have. The service takes the competition from the ticket, never from the client.

    mlv1.<base64url of the ticket's JSON>.<base64url of HMAC-SHA256>
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from datetime import datetime

PREFIX = "mlv1"
LONGEST = 4096


@dataclass(frozen=True)
class Ticket:
    """Which attempt of which run of which experiment (by its prefix in the runs store)."""

    experiment: str
    competition: str
    seed: int
    attempt: int
    version: str = "v1"


class InvalidToken(Exception):
    """The token proves nothing; the message says why, and is safe to show."""


def mint(ticket: Ticket, secret: str, *, expires: datetime) -> str:
    """A token for one attempt."""
    body = json.dumps({**asdict(ticket), "expires": int(expires.timestamp())}, separators=(",", ":")).encode()
    return f"{PREFIX}.{_encode(body)}.{_encode(_sign(body, secret))}"


def check(token: str, secret: str, now: datetime) -> Ticket:
    """The ticket of a genuine token that has not expired."""
    parts = token.split(".")
    if len(token) > LONGEST or len(parts) != 3 or parts[0] != PREFIX:
        raise InvalidToken("This is not a run token.")
    try:
        body, signature = _decode(parts[1]), _decode(parts[2])
    except (binascii.Error, ValueError) as error:
        raise InvalidToken("This is not a run token.") from error
    if not hmac.compare_digest(signature, _sign(body, secret)):
        raise InvalidToken("This run token was not made here, or was changed.")
    claims = json.loads(body)
    if now.timestamp() >= claims.pop("expires"):
        raise InvalidToken("This run token has expired.")
    return Ticket(**claims)


def notice_path(token: str) -> str:
    """Where the platform tells the courier of an attempt that its pod is about to go. The agent can't guess it."""
    return f"/ending/{hashlib.sha256(b'mlectl notice ' + token.encode()).hexdigest()[:32]}"


def _sign(body: bytes, secret: str) -> bytes:
    if not secret:
        raise ValueError("The key of run tokens is empty: anybody could make one.")
    return hmac.digest(secret.encode(), PREFIX.encode() + b"." + body, hashlib.sha256)


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
