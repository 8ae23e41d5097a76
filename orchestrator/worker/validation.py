"""The validation service: says whether a submission would be accepted, and why not. Never a score.

    GET  /health      {"status": "running"}
    GET  /counts      how many validations the token's run has had
    POST /validate    the file as the body; {"is_valid": bool, "result": sentence}
    POST /urls        URLs for the workers beside an agent (`desk.py`)
    GET  /canary      whether the canary answers us: {"canary": …, "address": [IP, port], "tcp": bool, "udp": bool}

Every question but /health needs a run token (`tokens.py`), and the competition is the token's: a client can't choose.
The body is read only when the token is good and the run has not asked too often.
"""

from __future__ import annotations

import logging
import queue
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

from orchestrator.storage.open import open_store
from orchestrator.storage.store import StoreError
from orchestrator.worker.addresses import split_address
from orchestrator.worker.answers import Answers
from orchestrator.worker.desk import MOST_BODY_BYTES, Desk
from orchestrator.worker.dial import PROTOCOLS, Heard, dial_canary, resolve
from orchestrator.worker.failure import ExitCode
from orchestrator.worker.judging import Judge, NotJudged
from orchestrator.worker.limits import SUBMISSION_BYTES, UPLOAD_SECONDS
from orchestrator.worker.orders import ValidationOrder
from orchestrator.worker.rate import RateLimit
from orchestrator.worker.serving import Exchange, Refusal, Server, open_listener
from orchestrator.worker.tokens import InvalidToken, Ticket, check

log = logging.getLogger("mlectl.validation")

MOST_AT_ONCE, MOST_PER_CLIENT = 128, 32
WAITING_PER_JUDGE = 8
"""Uploads that may lie on our disk while their turn comes."""
QUEUE_SECONDS = 300.0
REQUEST_SECONDS = 20.0
CANARY_SECONDS = 2.5
Run = tuple[str, str, int]
"""Experiment, competition, seed."""


def main(order: ValidationOrder) -> int:
    service = ValidationService(order)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=service.shutdown).start())
    log.info("answering at %s", order.listen)
    try:
        service.serve_forever(0.2)
    finally:
        service.close()
    return ExitCode.DONE


class ValidationService(Server):
    """Answers couriers."""

    def __init__(self, order: ValidationOrder) -> None:
        super().__init__(
            open_listener(order.listen), CourierExchange, most_at_once=MOST_AT_ONCE, most_per_client=MOST_PER_CLIENT
        )
        self.secret = order.secret_file.read_text().strip() if order.secret_file else order.secret
        if not self.secret:
            raise ValueError("the key of run tokens is empty; write one into secret_file")
        self.canary = order.canary
        self.scratch = order.scratch
        self.uploads = order.scratch / "uploads"
        shutil.rmtree(self.uploads, ignore_errors=True)
        self.uploads.mkdir(parents=True)
        self.answers = Answers(open_store(order.stores.private), order.scratch / "answers")
        self.desk = Desk(
            open_store(order.stores.public), open_store(order.stores.runs), timedelta(seconds=order.urls_last_seconds)
        )
        self.rate = RateLimit(order.per_minute)
        self.desk_rate = RateLimit(order.urls_per_minute)
        self.at_work: set[Run] = set()
        self.places = threading.Semaphore(order.at_once * WAITING_PER_JUDGE)
        self.judges: queue.LifoQueue[Judge] = queue.LifoQueue()
        for _ in range(order.at_once):
            judge = Judge(order.memory_bytes, order.time_limit_seconds, shared_by=order.at_once)
            judge.start()
            self.judges.put(judge)

    @contextmanager
    def turn_of(self, run: Run) -> Iterator[None]:
        """One at a time for each run, so that none can keep all judges to itself."""
        with self.lock:
            if run in self.at_work:
                raise Refusal(429, "Too many validations.", "Wait for the answer to the last one.", 5)
            self.at_work.add(run)
        try:
            yield
        finally:
            with self.lock:
                self.at_work.discard(run)

    @contextmanager
    def judge(self) -> Iterator[Judge]:
        """A judge, when it is this one's turn."""
        try:
            judge = self.judges.get(timeout=QUEUE_SECONDS)
        except queue.Empty as error:
            raise Refusal(503, "All validators are busy.", "Try again in a minute.", 60) from error
        try:
            yield judge
        finally:
            self.judges.put(judge)

    def close(self) -> None:
        self.server_close()
        while not self.judges.empty():
            self.judges.get_nowait().close()


class CourierExchange(Exchange):
    """One request of a courier's."""

    @property
    def service(self) -> ValidationService:
        return cast(ValidationService, self.server)

    def reply(self, method: str, path: str) -> Mapping[str, object]:
        match method, path:
            case "GET", "/health":
                return {"status": "running"}
            case "GET", "/counts":
                return {"validations": self.service.rate.total.get(run_of(self.ticket()), 0)}
            case "POST", "/validate":
                return self.validate(self.ticket())
            case "POST", "/urls":
                return self.urls(self.ticket())
            case "GET", "/canary":
                return self.dial_canary(self.ticket())
        raise Refusal(404, f"There is nothing at {method} {path}.", "Ask GET /health or POST /validate.")

    def ticket(self) -> Ticket:
        kind, _, token = self.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer":
            raise Refusal(401, "A run token is needed.", "Send it as 'Authorization: Bearer TOKEN'.")
        try:
            return check(token.strip(), self.service.secret, datetime.now(UTC))
        except InvalidToken as error:
            raise Refusal(401, "The run token is no good.", str(error)) from error

    def validate(self, ticket: Ticket) -> Mapping[str, object]:
        wait = self.service.rate.seconds_to_wait(run_of(ticket))
        if wait:
            limit = f"A run may ask {self.service.rate.per_minute} times a minute"
            raise Refusal(429, "Too many validations.", f"{limit}; come back in {wait} seconds.", wait)
        with self.service.turn_of(run_of(ticket)), self.upload() as file:
            answers = self.find_answers(ticket)
            with self.service.judge() as judge:
                try:
                    rejection = judge.validate(ticket.competition, ticket.version, file, answers)
                except NotJudged as error:
                    log.error("%s seed %d was not validated: %s", ticket.competition, ticket.seed, error)
                    raise Refusal(500, "The file could not be checked.", NOT_YOURS) from error
        log.info("%s seed %d attempt %d: %s", ticket.competition, ticket.seed, ticket.attempt, rejection or "valid")
        return {"is_valid": rejection is None, "result": rejection or "Submission is valid."}

    def urls(self, ticket: Ticket) -> Mapping[str, object]:
        self.check_desk_rate(ticket)
        body = self.rfile.read(self.accept_body(MOST_BODY_BYTES, REQUEST_SECONDS))
        try:
            return self.service.desk.urls(ticket, body)
        except Refusal as refusal:
            log.info("%s seed %d attempt %d gets no URLs: %s", ticket.competition, ticket.seed, ticket.attempt, refusal)
            raise
        except StoreError as error:
            log.error("no URLs for %s seed %d attempt %d: %s", ticket.competition, ticket.seed, ticket.attempt, error)
            raise Refusal(503, "The store can't be reached.", "Try again in a few seconds.", 10) from error

    def dial_canary(self, ticket: Ticket) -> Mapping[str, object]:
        """Only the address that the operator chose: a client can't have us dial."""
        self.check_desk_rate(ticket)
        if self.service.canary is None:
            raise Refusal(404, "There is no canary.", "Name its address in the order of the validation service.")
        address = resolve(*split_address(self.service.canary))
        answers: dict[str, bool] = {
            protocol: address is not None and dial_canary(address, protocol, CANARY_SECONDS) is Heard.ANSWER
            for protocol in PROTOCOLS
        }
        return {"canary": self.service.canary, "address": address, **answers}

    def check_desk_rate(self, ticket: Ticket) -> None:
        wait = self.service.desk_rate.seconds_to_wait((run_of(ticket), ticket.attempt))
        if wait:
            limit = f"An attempt may ask {self.service.desk_rate.per_minute} times a minute"
            raise Refusal(429, "Too many requests.", f"{limit}; come back in {wait} seconds.", wait)

    def find_answers(self, ticket: Ticket) -> Path:
        try:
            return self.service.answers.of(ticket.competition, ticket.version)
        except StoreError as error:
            log.error("no answers of %s %s: %s", ticket.competition, ticket.version, error)
            raise Refusal(503, "The competition's rules can't be reached.", NOT_YOURS, 30) from error

    @contextmanager
    def upload(self) -> Iterator[Path]:
        if not self.service.places.acquire(blocking=False):
            raise Refusal(503, "Too many validations wait already.", "Try again in a few seconds.", 10)
        try:
            with tempfile.NamedTemporaryFile(dir=self.service.uploads, suffix=".csv") as file:
                left = self.accept_body(SUBMISSION_BYTES, UPLOAD_SECONDS)
                while left:
                    block = self.rfile.read(min(1 << 20, left))
                    if not block:
                        raise Refusal(400, "The upload was cut off.", f"{left:,} bytes are missing.")
                    file.write(block)
                    left -= len(block)
                file.flush()
                yield Path(file.name)
        finally:
            self.service.places.release()


NOT_YOURS = "This is no verdict on the file; try again later."


def run_of(ticket: Ticket) -> Run:
    """A run's attempts share its limit and its count."""
    return ticket.experiment, ticket.competition, ticket.seed
