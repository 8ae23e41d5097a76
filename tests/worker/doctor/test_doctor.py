"""What a pod of the doctor's sees, against a real store, a real canary and a real HTTP server."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from orchestrator.storage import web
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.store import Store
from orchestrator.worker.canary import Canary
from orchestrator.worker.doctor import clocks, network, stores, tell
from orchestrator.worker.failure import MOST_BYTES
from orchestrator.worker.orders import DoctorOrder, Stores


@pytest.fixture
def folders(tmp_path: Path) -> Stores:
    return Stores(**{name: (tmp_path / name).as_uri() for name in ("public", "private", "runs")})


@pytest.fixture
def canary() -> Iterator[str]:
    bird = Canary("127.0.0.1", 0)
    threading.Thread(target=bird.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{bird.address[1]}"
    bird.shutdown()
    bird.server_close()
    bird.datagrams.close()


def test_every_store_is_written_and_nothing_stays(folders: Stores, tmp_path: Path) -> None:
    done = {"read": "", "write": "", "delete": ""}
    assert stores.look(folders, "1") == {"public": done, "private": done, "runs": done}
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_store_that_can_not_be_written_says_why(folders: Stores, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("not a folder")
    found = stores.look(folders, "1")
    assert "Cannot write" in found["private"]["write"]
    assert found["runs"]["write"] == ""


def test_speed_is_that_of_all_bytes_and_nothing_stays(folders: Stores, tmp_path: Path) -> None:
    found = stores.measure(folders.runs, "1", 3 << 20)
    assert found["bytes"] == 3 << 20
    assert found["up"] > 0
    assert found["down"] > 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_canary_is_heard_at_once_by_a_pod_that_may(canary: str) -> None:
    found = network.look(DoctorOrder(canary=canary, must_reach=(canary,)))
    assert found == {"must_reach": {canary: ""}, "canary": {"reached": True, "heard": "answered"}}


def test_a_pod_that_should_be_held_and_is_not_says_so_when_its_patience_ends(canary: str) -> None:
    found = network.look(DoctorOrder(canary=canary, hold_seconds=0.2, patience_seconds=0.5))
    assert found["canary"] == {"reached": True, "heard": "answered"}


def test_a_policy_that_comes_late_is_waited_for() -> None:
    bird = Canary("127.0.0.1", 0)
    threading.Thread(target=bird.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    order = DoctorOrder(canary=f"127.0.0.1:{bird.address[1]}", hold_seconds=0.2, patience_seconds=30)
    found: list[dict[str, Any]] = []
    looking = threading.Thread(target=lambda: found.append(network.look(order)))
    looking.start()
    looking.join(1)
    assert not found, "it was reached, and should not have been: that may change"
    bird.shutdown()
    bird.server_close()
    bird.datagrams.close()
    looking.join(30)
    assert found[0]["canary"] == {"reached": False, "heard": "refused"}


def test_what_is_not_reached_is_named() -> None:
    nobody = "127.0.0.1:9"
    found = network.look(DoctorOrder(canary=nobody, must_reach=(nobody,), hold_seconds=0.1, patience_seconds=0.1))
    assert found["must_reach"] == {nobody: "refused"}
    assert found["canary"] == {"reached": False, "heard": "refused"}


@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl to make a certificate with")
def test_a_server_is_trusted_by_its_certificate_whatever_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(["openssl", "req", *made, *name, "-keyout", key, "-out", certificate], check=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:  # it knows no GET and says so
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        order = DoctorOrder(must_trust=f"https://127.0.0.1:{server.server_port}")
        found = []
        for trusted in (str(certificate), ""):
            monkeypatch.setenv("SSL_CERT_FILE", trusted)
            web.pool.cache_clear()
            found.append(network.look(order)["trust"])
        server.shutdown()
    web.pool.cache_clear()
    assert found[0] == ""
    assert found[1].startswith(f"Cannot trust the server of {order.must_trust}: ")


@pytest.mark.parametrize("behind_seconds", [0, 3600])
def test_another_clock_is_read_off_a_refusal(behind_seconds: int) -> None:
    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(403)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return super().date_time_string(time.time() - behind_seconds)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ahead = clocks.ahead_of(f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert isinstance(ahead, float)
    assert abs(ahead - behind_seconds) < 2


def test_a_clock_that_does_not_answer_is_a_sentence() -> None:
    assert "refused" in str(clocks.ahead_of("http://127.0.0.1:9"))


def test_last_words_fit_into_what_kubernetes_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = tmp_path / "termination-log"
    monkeypatch.setenv("MLECTL_FAILURE", str(said))
    tell({"stores": {name: {"write": "é" * 5000} for name in ("public", "private", "runs")}, "clocks": {"store": 0.1}})
    assert said.stat().st_size <= MOST_BYTES
    told = json.loads(said.read_text())
    assert told["clocks"] == {"store": 0.1}
    assert told["stores"]["runs"]["write"].endswith("…")


def test_a_measurement_that_is_broken_off_leaves_nothing(
    folders: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told_to_go(store: Store, key: str) -> int:
        assert store.stat(key) is not None, "it is there while it is measured"
        raise SystemExit(1)

    monkeypatch.setattr(stores, "_length", told_to_go)
    with pytest.raises(SystemExit):
        stores.measure(folders.runs, "1", 1 << 20)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


class Disturbed(FileStore):
    """A TERM comes in the middle of each write and each removal."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.done: list[str] = []

    def write(self, key: str, data: bytes) -> None:
        signal.raise_signal(signal.SIGTERM)
        super().write(key, data)
        self.done.append("written")

    def delete(self, key: str) -> None:
        signal.raise_signal(signal.SIGTERM)
        super().delete(key)
        self.done.append("removed")


@pytest.mark.parametrize("deed", [lambda url: stores.measure(url, "1", 1 << 20), lambda url: stores._try_all(url, "1")])
def test_what_a_pod_does_in_a_store_is_done_whole_before_it_goes(
    deed: Callable[[str], object], folders: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that is broken off may reach the store after its removal."""
    store = Disturbed(tmp_path / "runs")
    monkeypatch.setattr(stores, "open_store", lambda url: store)
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with pytest.raises(SystemExit):
            deed(folders.runs)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert store.done == ["written", "removed"]


def test_a_pod_that_is_told_to_go_hears_it(canary: str) -> None:
    """As PID 1 it would not, without a handler of its own; here the exit code tells the difference."""
    order = DoctorOrder(canary=canary, hold_seconds=3600, patience_seconds=3600)
    command = [sys.executable, "-m", "orchestrator.worker", "doctor", "--order", "env:ORDER"]
    environment = {**os.environ, "ORDER": order.model_dump_json()}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as process:
        handled = Path(f"/proc/{process.pid}/status")
        deadline = time.monotonic() + 60
        while not int(re.findall(r"SigCgt:\s*(\w+)", handled.read_text())[0], 16) & 1 << (signal.SIGTERM - 1):
            assert time.monotonic() < deadline, "nobody listens for TERM"
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 1
