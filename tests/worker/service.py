"""A real validation service process, and a client that says exactly what the test wants it to say."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from orchestrator.worker.forward import UnixConnection
from orchestrator.worker.orders import ValidationOrder
from orchestrator.worker.tokens import Ticket, mint
from tests.worker.orders import write_order
from tests.worker.waiting import wait_for

SECRET = "a key of this test"
TICKET = Ticket("experiments/default/try-0123abcd", "demo-wine", 0, 1, "v1")


def token(ticket: Ticket = TICKET, secret: str = SECRET, *, lasts: timedelta = timedelta(hours=1)) -> str:
    return mint(ticket, secret, expires=datetime.now(UTC) + lasts)


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    body: dict[str, Any]
    headers: http.client.HTTPMessage


@dataclass
class Service:
    """The service, answering at a socket in its folder."""

    process: subprocess.Popen[bytes]
    path: Path

    @property
    def address(self) -> str:
        return f"unix:{self.path}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = UnixConnection(str(self.path), 60)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return Answer(response.status, json.loads(response.read()), response.headers)
        finally:
            connection.close()

    def validate(self, body: bytes, run_token: str | None = None) -> Answer:
        return self.ask("POST", "/validate", body, Authorization=f"Bearer {run_token or token()}")

    def urls(self, wanted: object, ticket: Ticket = TICKET, run_token: str | None = None) -> Answer:
        body = wanted if isinstance(wanted, bytes) else json.dumps(wanted).encode()
        return self.ask("POST", "/urls", body, Authorization=f"Bearer {run_token or token(ticket)}")

    def stop(self) -> None:
        self.process.terminate()
        assert self.process.wait(30) == 0

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(60)
        connection.connect(str(self.path))
        return connection


def start_service(order: ValidationOrder, folder: Path, **env: str) -> Service:
    file = write_order("validation", order, folder)
    command = [sys.executable, "-m", "orchestrator.worker", "validation", "--order", str(file)]
    service = Service(subprocess.Popen(command, env={**os.environ, **env}), Path(order.listen.removeprefix("unix:")))
    wait_for("the validation service", lambda: is_up(service))
    return service


def is_up(service: Service) -> bool:
    assert service.process.poll() is None, "the validation service ended"
    try:
        return service.ask("GET", "/health").body == {"status": "running"}
    except OSError:
        return False
