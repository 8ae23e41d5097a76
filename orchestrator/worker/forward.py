"""The courier as a client of the validation service: one file, one answer."""

from __future__ import annotations

import http.client
import json
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from orchestrator.worker.serving import Refusal

CONNECT_SECONDS = 10.0
POLL_SECONDS = 0.25
ANSWER_SECONDS = 900.0
MOST_ANSWER_BYTES = 1 << 20


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a socket in the file system."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def open_connection(address: str) -> http.client.HTTPConnection:
    """To the validation service: `http://host:port`, `https://host:port` or `unix:/path`."""
    if address.startswith("unix:"):
        return UnixConnection(address.removeprefix("unix:"), CONNECT_SECONDS)
    parts = urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=CONNECT_SECONDS)


@dataclass(frozen=True)
class Verdict:
    """What the validation service says of a file."""

    is_valid: bool
    result: str


class ValidationClient:
    """Asks the validation service on behalf of one run."""

    def __init__(self, address: str | None, token: str, *, starting_seconds: float = 30.0) -> None:
        """`starting_seconds`: how long a service that does not listen is waited for; it may be just starting."""
        self.address = address
        self.token = token
        self.starting_seconds = starting_seconds

    def ask(self, file: Path) -> Verdict:
        """The service's verdict on a file; a Refusal if there is none."""
        if self.address is None:
            raise Refusal(500, "Validation is not available.", "This run has no validation service.")
        try:
            status, retry_after, body = self._post(file)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Refusal(
                500, "The validation service can't be reached.", f"{type(error).__name__}; try again in a minute."
            ) from error
        if status == 200 and isinstance(body.get("is_valid"), bool):
            return Verdict(body["is_valid"], str(body.get("result", "")))
        if status == 401:
            raise Refusal(500, "The validation service does not know this run.", "Nothing the agent can do about it.")
        problem, details = str(body.get("error", f"Status {status}.")), str(body.get("details", ""))
        raise Refusal(status if status in (413, 429, 503) else 500, problem, details, retry_after)

    def _post(self, file: Path) -> tuple[int, int | None, dict[str, Any]]:
        connection = self._connect()
        try:
            with file.open("rb") as body:
                headers = {
                    "Authorization": f"Bearer {self.token}",
                    "Content-Type": "text/csv",
                    "Content-Length": str(file.stat().st_size),
                }
                if connection.sock is not None:
                    connection.sock.settimeout(ANSWER_SECONDS)
                with suppress(BrokenPipeError, ConnectionResetError):  # it has heard enough: the answer says why
                    connection.request("POST", "/validate", body=body, headers=headers)
                response = connection.getresponse()
            answer = json.loads(response.read(MOST_ANSWER_BYTES))
            retry_after = response.headers.get("Retry-After") or ""
        finally:
            connection.close()
        return response.status, int(retry_after) if retry_after.isdigit() else None, dict(answer)

    def _connect(self) -> http.client.HTTPConnection:
        give_up = time.monotonic() + self.starting_seconds
        while True:
            connection = open_connection(self.address or "")
            try:
                connection.connect()
                return connection
            except (ConnectionRefusedError, FileNotFoundError):
                connection.close()
                if time.monotonic() > give_up:
                    raise
                time.sleep(POLL_SECONDS)
