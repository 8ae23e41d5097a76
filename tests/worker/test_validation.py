"""The validation service as a process, asked over its socket by clients good and bad."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.open import open_store
from orchestrator.worker.orders import Stores, ValidationOrder
from tests.worker.service import SECRET, TICKET, Service, start_service, token

PER_MINUTE = 40


@pytest.fixture(scope="module")
def service(prepared: Stores, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("v")
    order = ValidationOrder(
        stores=prepared,
        listen=f"unix:{folder / 'socket'}",
        secret=SECRET,
        scratch=folder / "scratch",
        per_minute=PER_MINUTE,
        at_once=1,
        memory_bytes=1 << 30,
    )
    one = start_service(order, folder)
    yield one
    one.process.send_signal(signal.SIGTERM)
    assert one.process.wait(30) == 0


@pytest.fixture(scope="module")
def sample(prepared: Stores, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    target = tmp_path_factory.mktemp("data")
    stage(DatasetSource.from_store(open_store(prepared.public), "datasets/v1/demo-wine"), target)
    return (target / "sample_submission.csv").read_bytes()


def test_a_good_file_is_valid(service: Service, sample: bytes) -> None:
    answer = service.validate(sample)
    assert (answer.status, answer.body) == (200, {"is_valid": True, "result": "Submission is valid."})


def test_a_bad_file_gets_the_reason_and_no_score(service: Service) -> None:
    answer = service.validate(b"id,colour\n1,red\n")
    assert answer.status == 200
    assert answer.body["is_valid"] is False
    assert "cultivar_1" in answer.body["result"]
    assert set(answer.body) == {"is_valid", "result"}


@pytest.mark.parametrize(
    "forged",
    [
        pytest.param("", id="none"),
        pytest.param("mlv1..", id="empty parts"),
        pytest.param("mlv1.e30.AAAA", id="a signature of zeros"),
        pytest.param(token(secret="another key"), id="another key"),
        pytest.param(token(lasts=timedelta(seconds=-1)), id="expired"),
        pytest.param("mlv1." + "A" * 5000 + ".AAAA", id="too long"),
        pytest.param("mlv1.\u00e9.\u00e9", id="not ASCII"),
    ],
)
def test_a_forged_token_opens_nothing(service: Service, sample: bytes, forged: str) -> None:
    assert service.validate(sample, forged or " ").status == 401


def test_a_token_can_not_be_bent_to_another_competition(service: Service, sample: bytes) -> None:
    genuine = token().split(".")
    other = token(replace(TICKET, competition="demo-digits"), "guess").split(".")
    assert service.validate(sample, f"{genuine[0]}.{other[1]}.{genuine[2]}").status == 401


def test_no_token_at_all_is_told_what_is_needed(service: Service) -> None:
    answer = service.ask("POST", "/validate", b"id\n")
    assert answer.status == 401
    assert "Authorization: Bearer" in answer.body["details"]


def test_an_unprepared_competition_is_no_verdict(service: Service, sample: bytes) -> None:
    answer = service.validate(sample, token(replace(TICKET, competition="demo-digits")))
    assert answer.status == 503
    assert answer.headers["Retry-After"] == "30"


def test_each_run_has_its_own_limit_and_count(service: Service) -> None:
    eager, other = token(replace(TICKET, seed=7)), token(replace(TICKET, seed=8))
    again = token(replace(TICKET, seed=7, attempt=2))
    statuses = [service.validate(b"", eager).status for _ in range(PER_MINUTE + 1)]
    assert statuses == [200] * PER_MINUTE + [429]
    answer = service.validate(b"", again)
    assert answer.status == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert f"{PER_MINUTE} times a minute" in answer.body["details"]
    assert service.validate(b"", other).status == 200
    counts = service.ask("GET", "/counts", Authorization=f"Bearer {eager}")
    assert counts.body == {"validations": PER_MINUTE}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\0" * 1000, id="zeros"),
        pytest.param(b"\xff\xfe" * 1000, id="not text"),
        pytest.param(b'id,cultivar_1,cultivar_2,cultivar_3\n"' + b"x" * 100_000, id="a quote without end"),
        pytest.param(b"," * 200_000, id="a wide table"),
        pytest.param(b'id,cultivar_1\n=HYPERLINK("http://127.0.0.1"),1\n', id="a formula"),
        pytest.param(b"\x80\x04\x95cos\nsystem\n(S'true'\ntR.", id="a pickle"),
        pytest.param(b"PK\x03\x04" + b"\0" * 100, id="an archive"),
    ],
)
def test_garbage_is_refused_like_any_bad_file(service: Service, body: bytes) -> None:
    answer = service.validate(body, token(replace(TICKET, seed=9)))
    assert answer.status == 200
    assert answer.body["is_valid"] is False


def test_a_body_that_is_cut_off_is_told(service: Service) -> None:
    with service.connect() as connection:
        head = f"POST /validate HTTP/1.1\r\nAuthorization: Bearer {token(replace(TICKET, seed=10))}\r\n"
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\nid\n".encode())
        connection.shutdown(1)
        assert b"400" in connection.recv(1000).split(b"\r\n")[0]


def test_a_run_has_one_validation_at_a_time(service: Service) -> None:
    mine, other = token(replace(TICKET, seed=11)), token(replace(TICKET, seed=12))
    with service.connect() as slow:
        head = f"POST /validate HTTP/1.1\r\nAuthorization: Bearer {mine}\r\nContent-Length: 3\r\n"
        slow.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert slow.recv(1000).startswith(b"HTTP/1.1 100"), "it is at work, and waits for its file"
        assert service.validate(b"id\n", mine).status == 429
        assert service.validate(b"id\n", other).status == 200
        slow.sendall(b"id\n")
        assert slow.recv(1000).startswith(b"HTTP/1.1 200")
    assert service.validate(b"id\n", mine).status == 200


def test_an_upload_of_any_length_is_refused_before_it_is_sent(service: Service) -> None:
    with service.connect() as connection:
        head = f"POST /validate HTTP/1.1\r\nAuthorization: Bearer {token(replace(TICKET, seed=10))}\r\n"
        connection.sendall(f"{head}Content-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n".encode())
        assert b"413" in connection.recv(1000).split(b"\r\n")[0]


def test_the_socket_of_a_dead_service_is_taken_over(prepared: Stores, tmp_path: Path) -> None:
    listen = tmp_path / "s"
    order = ValidationOrder(stores=prepared, listen=f"unix:{listen}", secret=SECRET, scratch=tmp_path / "scratch")
    first = start_service(order, tmp_path)
    first.process.kill()
    first.process.wait()
    second = start_service(order, tmp_path)
    second.process.terminate()
    assert second.process.wait(30) == 0
