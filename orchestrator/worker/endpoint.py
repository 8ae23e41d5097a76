"""What the agent sees of us: http://localhost:5000, in the dialect of the reference's server.

GET  /health                   {"status": "running"}
POST /validate (field `file`)  {"result": "Submission is valid." | "Submission invalid! ...", "is_valid": bool}
on trouble                     {"error": ..., "details": ...}
"""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from orchestrator.worker.forward import ValidationClient
from orchestrator.worker.journal import Journal
from orchestrator.worker.limits import MIB, SUBMISSION_BYTES, UPLOAD_SECONDS
from orchestrator.worker.multipart import BadUpload, save_file
from orchestrator.worker.serving import Exchange, Refusal, Server, open_listener

MOST_AT_ONCE = 16
MOST_UPLOADS = 2
"""At once: each may fill as much of our disk as a submission has bytes."""
FORM_BYTES = MIB
"""What a form may add around the file."""
VALID, INVALID = "Submission is valid.", "Submission invalid!"


class Endpoint(Server):
    """Answers the agent."""

    def __init__(self, listener: socket.socket, client: ValidationClient, journal: Journal, scratch: Path) -> None:
        super().__init__(listener, AgentExchange, most_at_once=MOST_AT_ONCE)
        self.client = client
        self.journal = journal
        self.scratch = scratch
        self.uploads = threading.Semaphore(MOST_UPLOADS)


class AgentExchange(Exchange):
    """One request of the agent's."""

    @property
    def endpoint(self) -> Endpoint:
        return cast(Endpoint, self.server)

    def reply(self, method: str, path: str) -> Mapping[str, object]:
        if (method, path) == ("GET", "/health"):
            return {"status": "running"}
        if (method, path) == ("POST", "/validate"):
            return self._validate()
        raise Refusal(404, f"There is nothing at {method} {path}.", "Ask GET /health or POST /validate.")

    def _validate(self) -> Mapping[str, object]:
        with self.endpoint.journal.change() as pages:
            pages.validations.asked += 1
        try:
            with self._upload() as file:
                verdict = self.endpoint.client.ask(file)
        except (Refusal, OSError):
            with self.endpoint.journal.change() as pages:
                pages.validations.refused += 1
            raise
        with self.endpoint.journal.change() as pages:
            pages.validations.valid += verdict.is_valid
            pages.validations.invalid += not verdict.is_valid
        return {"result": VALID if verdict.is_valid else f"{INVALID} {verdict.result}", "is_valid": verdict.is_valid}

    @contextmanager
    def _upload(self) -> Iterator[Path]:
        """The uploaded file, for as long as it is needed."""
        if not self.endpoint.uploads.acquire(blocking=False):
            raise Refusal(429, "Too many validations at once.", "Wait for the answer to the last one.", 5)
        try:
            with tempfile.NamedTemporaryFile(dir=self.endpoint.scratch, suffix=".csv") as file:
                self._receive(cast(IO[bytes], file))
                file.flush()
                yield Path(file.name)
        finally:
            self.endpoint.uploads.release()

    def _receive(self, target: IO[bytes]) -> None:
        length = self.accept_body(SUBMISSION_BYTES + FORM_BYTES, UPLOAD_SECONDS)
        try:
            save_file("file", self.rfile, length, self.headers.get("Content-Type", ""), target)
        except BadUpload as error:
            raise Refusal(400, "The upload can't be read.", str(error)) from error


@contextmanager
def serve_agent(address: str, client: ValidationClient, journal: Journal, scratch: Path) -> Iterator[Endpoint]:
    """An endpoint that answers in the background."""
    with Endpoint(open_listener(address), client, journal, scratch).in_background("endpoint") as endpoint:
        yield endpoint
