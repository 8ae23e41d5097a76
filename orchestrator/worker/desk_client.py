"""The workers beside an agent as clients of the desk (`desk.py`): they show their token and get URLs."""

from __future__ import annotations

import http.client
import json
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from orchestrator.core.failures import Reason
from orchestrator.worker import orders
from orchestrator.worker.failure import WorkerFailure
from orchestrator.worker.files import replace_file
from orchestrator.worker.forward import MOST_ANSWER_BYTES, open_connection

log = logging.getLogger("mlectl.desk")
T = TypeVar("T")

ANSWER_SECONDS = 60.0
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 30.0
POD = "pod"


class OutOfReach(Exception):
    """The desk did not answer, or asks to come back later; the text says what was seen."""

    def __init__(self, problem: str, retry_after_seconds: float = 0.0) -> None:
        super().__init__(problem)
        self.retry_after_seconds = retry_after_seconds


class Refused(WorkerFailure):
    """The desk knows us and says no. Asking again changes nothing."""

    def __init__(self, reason: Reason, status: int, said: str) -> None:
        super().__init__(reason, f"The validation service refuses this pod: {said}")
        self.status = status


@dataclass(frozen=True)
class Urls:
    """What the desk handed out, and for how long."""

    lasts_seconds: float
    dataset: Mapping[str, str]
    restore: Mapping[str, str]
    uploads: Mapping[str, str]


class DeskClient:
    """Asks the desk on behalf of one worker in one pod."""

    def __init__(self, desk: orders.Desk, role: str, pod: str, reason: Reason) -> None:
        self.desk = desk
        self.role = role
        self.pod = pod
        self.reason = reason
        """Of the failure, should the desk refuse us."""

    def urls(self, *, dataset: Sequence[str] = (), restore: int | None = None, uploads: Sequence[str] = ()) -> Urls:
        wanted: dict[str, object] = {"role": self.role, "pod": self.pod}
        wanted |= {"dataset": dataset, "restore": restore} if self.role == "stage" else {"uploads": uploads}
        answer = self.ask("POST", "/urls", json.dumps(wanted).encode())
        return Urls(float(answer["lasts_seconds"]), answer["dataset"], answer["restore"], answer["uploads"])

    def canary(self) -> Mapping[str, Any]:
        return self.ask("GET", "/canary")

    def ask(self, method: str, path: str, body: bytes | None = None) -> Mapping[str, Any]:
        """The desk's answer; OutOfReach if it is worth asking again, Refused if not."""
        try:
            status, retry_after, answer = self._exchange(method, path, body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise OutOfReach(f"{self.desk.url} does not answer ({type(error).__name__}: {error})") from error
        if status == 200:
            return answer
        said = f"{answer.get('error', f'status {status}')} {answer.get('details', '')}".strip()
        if status == 429 or status >= 500:
            raise OutOfReach(f"{self.desk.url} answers {status}: {said}", retry_after)
        raise Refused(self.reason, status, said)

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, float, dict[str, Any]]:
        connection = open_connection(self.desk.url)
        try:
            connection.connect()
            if connection.sock is not None:
                connection.sock.settimeout(ANSWER_SECONDS)
            connection.request(method, path, body, {"Authorization": f"Bearer {self.desk.token}"})
            response = connection.getresponse()
            answer = json.loads(response.read(MOST_ANSWER_BYTES))
            after = response.headers.get("Retry-After") or ""
            return response.status, float(after) if after.isdigit() else 0.0, dict(answer)
        finally:
            connection.close()


def persist(ask: Callable[[], T], patience_seconds: float, reason: Reason = Reason.STORE_UNAVAILABLE) -> T:
    """What asking returns once the desk answers; a failure that may be tried again when patience has run out."""
    give_up = time.monotonic() + patience_seconds
    wait = FIRST_WAIT_SECONDS
    while True:
        try:
            return ask()
        except OutOfReach as error:
            pause = max(wait, error.retry_after_seconds)
            if time.monotonic() + pause > give_up:
                raise WorkerFailure(
                    reason,
                    f"No URLs could be had for {patience_seconds:,.0f} seconds: {error}. Check that the validation "
                    "service runs and that the pod's network policy lets it through.",
                    try_again=True,
                ) from error
            log.info("%s; asking again in %.1f s", error, pause)
            time.sleep(pause)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)


def pod_nonce(private: Path) -> str:
    """What this pod is known by at the desk: made up by the first worker that needs it, and kept as long as the pod."""
    path = private / POD
    if not path.exists():
        replace_file(path, secrets.token_hex(16))
    return path.read_text()
