"""An attempt as it runs in a pod: URLs from a real desk, files in a real S3 server, a folder of the workers' own."""

from __future__ import annotations

import itertools
import socket
import subprocess
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.storage.bucket import Bucket, Credentials
from orchestrator.storage.layout import AttemptKeys, ExperimentKeys
from orchestrator.storage.s3 import S3Store
from orchestrator.worker.orders import CourierOrder, Desk, Stores
from orchestrator.worker.tokens import Ticket, notice_path
from tests.s3server import OWNER, S3Server
from tests.worker.attempt import Attempt
from tests.worker.service import TICKET, Service, token

SEEDS = itertools.count(1000)


class Buckets:
    """The three buckets of a server, and a way in that no part of mlectl has."""

    def __init__(self, server: S3Server) -> None:
        self.server = server

    @property
    def stores(self) -> Stores:
        return Stores(**{name: self.server.url(name) for name in ("public", "private", "runs")})

    def store(self, name: str) -> S3Store:
        keys = Credentials(OWNER.access_key, OWNER.secret_key)
        return S3Store(Bucket(name, self.server.endpoint, "us-east-1", keys))


def new_ticket(attempt: int = 1) -> Ticket:
    """Of a run that no other test has."""
    return replace(TICKET, seed=next(SEEDS), attempt=attempt)


def keys_of(ticket: Ticket) -> AttemptKeys:
    return ExperimentKeys.of_prefix(ticket.experiment).attempt(ticket.competition, ticket.seed, ticket.attempt)


class PodAttempt(Attempt):
    """The courier has a token, a desk and a private folder, and listens for the platform's notice."""

    def __init__(self, root: Path, buckets: Buckets, desk: Service) -> None:
        self.buckets = buckets
        self.desk = desk
        self.ticket = new_ticket()
        self.token = token(self.ticket)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.notice_port: int = free.getsockname()[1]
        super().__init__(root)
        self.private.mkdir()

    @property
    def private(self) -> Path:
        return self.root / "private"

    def order(self) -> CourierOrder:
        given = {
            "uploads": {},
            "desk": Desk(url=self.desk.address, token=self.token),
            "token": self.token,
            "private": self.private,
            "scratch": self.private / "courier",
            "notice": f"127.0.0.1:{self.notice_port}",
        }
        return super().order().model_copy(update={**given, **self.changes})

    def give_notice(self, path: str | None = None) -> int:
        """As the kubelet does, from outside the agent's container; the status of the answer."""
        url = f"http://127.0.0.1:{self.notice_port}{path or notice_path(self.token)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                status: int = answer.status
                return status
        except urllib.error.HTTPError as error:
            return error.code

    def in_store(self, name: str) -> bytes | None:
        return self.buckets.store("runs").read(f"{keys_of(self.ticket).prefix}/{name}")

    def finish(self, courier: subprocess.Popen[bytes], launcher: subprocess.Popen[bytes]) -> dict[str, Any]:
        """The launcher ends first; then the kubelet ends the sidecar."""
        launcher.wait(60)
        courier.terminate()
        assert courier.wait(60) == 0, self.courier_log
        return self.record
