"""The agent's door to us, with real sockets on both sides and a real validation service behind it."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.worker import endpoint, serving
from orchestrator.worker.endpoint import serve_agent
from orchestrator.worker.forward import ValidationClient
from orchestrator.worker.journal import Journal
from orchestrator.worker.orders import Stores, ValidationOrder
from tests.worker.service import SECRET, TICKET, Service, start_service, token
from tests.worker.waiting import wait_for


@dataclass(frozen=True)
class Door:
    """An endpoint at a port of its own."""

    port: int
    journal: Journal
    scratch: Path

    def send(self, data: bytes) -> tuple[int, dict[str, Any], str]:
        """Status, body and head of the answer to raw bytes."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as connection:
            connection.sendall(data)
            return self.receive(connection)

    def receive(self, connection: socket.socket) -> tuple[int, dict[str, Any], str]:
        answer = b""
        while block := connection.recv(1 << 16):
            answer += block
        head, _, body = answer.decode().partition("\r\n\r\n")
        return int(head.split()[1]), json.loads(body), head

    def validate(self, content: bytes, extra: str = "") -> tuple[int, dict[str, Any], str]:
        disposition = b'Content-Disposition: form-data; name="file"; filename="submission.csv"\r\n\r\n'
        body = b"--B\r\n" + disposition + content + b"\r\n--B--\r\n"
        head = f"POST /validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n{extra}"
        return self.send(f"{head}Content-Type: multipart/form-data; boundary=B\r\n\r\n".encode() + body)


@pytest.fixture(scope="module")
def service(prepared: Stores, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("e")
    listen = f"unix:{folder / 's'}"
    order = ValidationOrder(
        stores=prepared, listen=listen, secret=SECRET, scratch=folder / "x", memory_bytes=1 << 30, at_once=1
    )
    one = start_service(order, folder)
    yield one
    one.process.kill()
    one.process.wait()


@pytest.fixture
def door(service: Service, tmp_path: Path) -> Iterator[Door]:
    yield from open_door(ValidationClient(service.address, token()), tmp_path)


def open_door(client: ValidationClient, folder: Path) -> Iterator[Door]:
    journal = Journal(folder / "journal.json")
    with serve_agent("127.0.0.1:0", client, journal, folder) as one:
        yield Door(one.socket.getsockname()[1], journal, folder)


def test_health_is_the_reference_s(door: Door) -> None:
    assert door.send(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")[:2] == (200, {"status": "running"})


def test_an_invalid_file_gets_the_reference_s_words_and_a_flag(door: Door) -> None:
    status, body, _ = door.validate(b"id\n1\n")
    assert status == 200
    assert body["is_valid"] is False
    assert body["result"].startswith("Submission invalid! ")
    assert "cultivar_1" in body["result"]


def test_a_valid_file_gets_the_reference_s_words_and_a_flag(
    door: Door, prepared: Stores, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from orchestrator.storage.dataset import DatasetSource, stage
    from orchestrator.storage.open import open_store

    target = tmp_path_factory.mktemp("data")
    stage(DatasetSource.from_store(open_store(prepared.public), "datasets/v1/demo-wine"), target)
    sample = (target / "sample_submission.csv").read_bytes()
    assert door.validate(sample)[1] == {"result": "Submission is valid.", "is_valid": True}


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_curl_works_as_the_task_text_says(door: Door, tmp_path: Path) -> None:
    """With a file so large that curl waits for a 100 Continue."""
    file = tmp_path / "submission.csv"
    file.write_bytes(b"id\n" + b"1\n" * 1_000_000)
    url = f"http://127.0.0.1:{door.port}/validate"
    done = subprocess.run(["curl", "-sS", "-F", f"file=@{file}", url], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["is_valid"] is False


def test_calls_are_counted_by_what_came_of_them(door: Door, tmp_path: Path) -> None:
    door.validate(b"id\n")
    door.send(b"POST /validate HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    counted = Journal(tmp_path / "journal.json").pages.validations
    assert (counted.asked, counted.valid, counted.invalid, counted.refused) == (2, 0, 1, 1)


def test_the_client_s_idea_of_the_competition_is_ignored(door: Door) -> None:
    status, body, _ = door.validate(b"id\n", "exp-id: demo-digits\r\n")
    assert status == 200
    assert "cultivar_1" in body["result"]


@pytest.mark.parametrize(
    "request_bytes, status",
    [
        pytest.param(b"GET /answers HTTP/1.1\r\n\r\n", 404, id="another path"),
        pytest.param(b"GET /../../etc HTTP/1.1\r\n\r\n", 404, id="a path that climbs"),
        pytest.param(b"POST /validate HTTP/1.1\r\n\r\n", 411, id="no length"),
        pytest.param(b"POST /validate HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 411, id="a negative length"),
        pytest.param(b"POST /validate HTTP/1.1\r\nContent-Length: 1e9\r\n\r\n", 411, id="a length in words"),
        pytest.param(b"POST /validate HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n", 413, id="too long"),
        pytest.param(b"POST /validate HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411, id="chunked"),
        pytest.param(b"POST /validate HTTP/1.1\r\nContent-Length: 2\r\n\r\nid", 400, id="no form"),
    ],
)
def test_hostile_requests_are_refused_in_the_reference_s_dialect(door: Door, request_bytes: bytes, status: int) -> None:
    found, body, _ = door.send(request_bytes)
    assert found == status
    assert set(body) == {"error", "details"}


@pytest.mark.parametrize(
    "noise",
    [
        pytest.param(b"\0" * 1000 + b"\r\n\r\n", id="zeros"),
        pytest.param(b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", id="a long line"),
        pytest.param(b"GET /health HTTP/1.1\r\n" + b"a: b\r\n" * 1000 + b"\r\n", id="many headers"),
        pytest.param(b"DELETE /validate HTTP/1.1\r\n\r\n", id="another method"),
    ],
)
def test_noise_does_not_stop_the_endpoint(door: Door, noise: bytes) -> None:
    with socket.create_connection(("127.0.0.1", door.port), 60) as connection:
        connection.sendall(noise)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass
    test_health_is_the_reference_s(door)


def test_a_client_that_trickles_is_cut_off(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEADER_SECONDS", 0.5)
    with socket.create_connection(("127.0.0.1", door.port), 60) as connection:
        stop = threading.Event()

        def trickle() -> None:
            while not stop.wait(0.05):
                try:
                    connection.send(b"a")
                except OSError:
                    return

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            assert end_of(connection) == b""
        finally:
            stop.set()
            thread.join()


def test_an_upload_that_trickles_is_cut_off(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "UPLOAD_SECONDS", 0.5)
    with socket.create_connection(("127.0.0.1", door.port), 60) as connection:
        head = (
            b"POST /validate HTTP/1.1\r\nContent-Length: 1000\r\nContent-Type: multipart/form-data; boundary=B\r\n\r\n"
        )
        connection.sendall(head + b"--B")
        assert end_of(connection) == b""
    wait_for("the refusal to be counted", lambda: door.journal.pages.validations.refused == 1)
    assert list(door.scratch.glob("*.csv")) == []


def end_of(connection: socket.socket) -> bytes:
    """What comes before the server hangs up."""
    try:
        return connection.recv(1000)
    except ConnectionResetError:
        return b""


def test_whoever_comes_when_all_places_are_taken_is_told_to_come_back(door: Door) -> None:
    idle = [socket.create_connection(("127.0.0.1", door.port), 60) for _ in range(endpoint.MOST_AT_ONCE)]
    try:
        status, body, head = wait_for("a refusal", lambda: refused(door))
        assert "Retry-After" in head
        assert set(body) == {"error", "details"}
        assert status == 503
    finally:
        for connection in idle:
            connection.close()
    wait_for("a free place", lambda: door.send(b"GET /health HTTP/1.1\r\n\r\n")[0] == 200)


def refused(door: Door) -> tuple[int, dict[str, Any], str] | None:
    answer = door.send(b"GET /health HTTP/1.1\r\n\r\n")
    return answer if answer[0] == 503 else None


def test_too_many_uploads_at_once_wait_their_turn(door: Door) -> None:
    head = b"POST /validate HTTP/1.1\r\nContent-Length: 1000\r\nContent-Type: multipart/form-data; boundary=B\r\n\r\n"
    slow = [socket.create_connection(("127.0.0.1", door.port), 60) for _ in range(endpoint.MOST_UPLOADS)]
    try:
        for connection in slow:
            connection.sendall(head)
        wait_for("the uploads to have begun", lambda: len(list(door.scratch.glob("*.csv"))) == len(slow))
        assert door.validate(b"id\n")[0] == 429
    finally:
        for connection in slow:
            connection.close()


def test_without_a_service_the_agent_is_told(tmp_path: Path) -> None:
    for door in open_door(ValidationClient(None, ""), tmp_path):
        status, body, _ = door.validate(b"id\n")
        assert (status, body["error"]) == (500, "Validation is not available.")


def test_a_service_that_is_away_is_told(tmp_path: Path) -> None:
    client = ValidationClient(f"unix:{tmp_path / 'nobody'}", token(), starting_seconds=0.5)
    for door in open_door(client, tmp_path):
        status, body, _ = door.validate(b"id\n")
        assert (status, body["error"]) == (500, "The validation service can't be reached.")


def test_a_service_that_is_just_starting_is_waited_for(tmp_path: Path) -> None:
    address = tmp_path / "late"
    answer = b'HTTP/1.0 200 OK\r\n\r\n{"is_valid": true, "result": "Submission is valid."}'

    def serve_late() -> None:
        time.sleep(1)
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(address))
            door.listen()
            caller, _ = door.accept()
            with caller:
                while b"id" not in caller.recv(65536):
                    pass
                caller.sendall(answer)

    (tmp_path / "file.csv").write_bytes(b"id\n")
    service = threading.Thread(target=serve_late)
    service.start()
    assert ValidationClient(f"unix:{address}", token()).ask(tmp_path / "file.csv").is_valid
    service.join()


def test_a_token_that_is_no_good_is_not_the_agent_s_affair(service: Service, tmp_path: Path) -> None:
    for door in open_door(ValidationClient(service.address, token(TICKET, "wrong")), tmp_path):
        status, body, _ = door.validate(b"id\n")
        assert (status, body["error"]) == (500, "The validation service does not know this run.")


def test_a_run_that_asks_too_often_is_told_when_to_come_back(prepared: Stores, tmp_path: Path) -> None:
    order = ValidationOrder(
        stores=prepared, listen=f"unix:{tmp_path / 's'}", secret=SECRET, scratch=tmp_path / "x", per_minute=0
    )
    service = start_service(order, tmp_path)
    try:
        for door in open_door(ValidationClient(service.address, token()), tmp_path):
            status, body, head = door.validate(b"id\n")
            assert (status, body["error"]) == (429, "Too many validations.")
            assert "Retry-After" in head
    finally:
        service.process.kill()
        service.process.wait()
