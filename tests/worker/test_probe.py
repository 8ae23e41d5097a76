"""The probe, the canary and the service that vouches for it, as real processes in real network namespaces."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from orchestrator.worker import probe as probe_module
from orchestrator.worker.canary import BANNER, QUESTION
from orchestrator.worker.desk_client import DeskClient
from orchestrator.worker.dial import DNS_QUESTION, Heard, Protocol, dial, dial_canary
from orchestrator.worker.failure import WorkerFailure
from orchestrator.worker.orders import CanaryOrder, Desk, ProbeOrder
from orchestrator.worker.probe import Probe, Target, is_reached
from tests.s3server import free_ports
from tests.worker.orders import write_order
from tests.worker.pod import new_ticket
from tests.worker.service import Service, token
from tests.worker.test_launch import unshare
from tests.worker.waiting import wait_for

WORKER = [sys.executable, "-m", "orchestrator.worker"]
LOOPBACK_ALONE = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
"""Of a network namespace of its own: every packet comes back refused, as from a plug-in that rejects."""


@dataclass(frozen=True)
class Birdcage:
    """A canary that runs, and a service that knows it."""

    process: subprocess.Popen[bytes]
    port: int
    service: Service

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"


@pytest.fixture(scope="module")
def cage(start_desk: Callable[..., Service], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Birdcage]:
    port = free_ports(1)[0]
    order = write_order("canary", CanaryOrder(listen=f"127.0.0.1:{port}"), tmp_path_factory.mktemp("canary"))
    process = subprocess.Popen([*WORKER, "canary", "--order", str(order)])
    wait_for("the canary", lambda: dial_canary(("127.0.0.1", port), "tcp", 1) is Heard.ANSWER)
    yield Birdcage(process, port, start_desk(canary=f"127.0.0.1:{port}"))
    process.terminate()
    assert process.wait(30) == 0


def order_of(service: Service, root: Path, **changes: Any) -> ProbeOrder:
    (root / "private").mkdir(exist_ok=True)
    ordinary = {
        "desk": Desk(url=service.address, token=token(new_ticket())),
        "canary": None,
        "hold_seconds": 0.3,
        "patience_seconds": 1.0,
        "private": root / "private",
    }
    return ProbeOrder.model_validate({**ordinary, **changes})


def run_probe(order: ProbeOrder, prefix: Sequence[str] = ()) -> tuple[int, dict[str, Any]]:
    """The probe's exit code, and its proof or else why there is none."""
    said = order.private / "termination-log"
    env = {**os.environ, "ORDER": order.model_dump_json(), "MLECTL_FAILURE": str(said)}
    done = subprocess.run([*prefix, *WORKER, "probe", "--order", "env:ORDER"], env=env, capture_output=True)
    word = order.private / "probe.json" if done.returncode == 0 else said
    found: dict[str, Any] = json.loads(word.read_text())
    return done.returncode, found


def test_a_canary_answers_everybody_and_ignores_what_is_said(cage: Birdcage) -> None:
    with socket.create_connection(("127.0.0.1", cage.port), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert connection.recv(512) == BANNER
    assert dial_canary(("127.0.0.1", cage.port), "udp", 5) is Heard.ANSWER


def test_clients_that_stay_do_not_keep_the_canary_from_answering(cage: Birdcage) -> None:
    idle = [socket.create_connection(("127.0.0.1", cage.port)) for _ in range(200)]
    assert dial_canary(("127.0.0.1", cage.port), "tcp", 5) is Heard.ANSWER
    for each in idle:
        each.close()


def test_a_canary_can_not_be_used_against_others(cage: Birdcage) -> None:
    assert len(BANNER) < len(QUESTION)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.connect(("127.0.0.1", cage.port))
        stranger.settimeout(0.3)
        stranger.send(b"?")
        with pytest.raises(TimeoutError):
            stranger.recv(512)


def test_the_service_says_whether_the_canary_answers(cage: Birdcage, start_desk: Callable[..., Service]) -> None:
    mine = {"Authorization": f"Bearer {token(new_ticket())}"}
    said = cage.service.ask("GET", "/canary", **mine).body
    assert said == {"canary": cage.address, "address": ["127.0.0.1", cage.port], "tcp": True, "udp": True}
    assert cage.service.ask("GET", "/canary").status == 401
    dead = start_desk(canary=f"127.0.0.1:{free_ports(1)[0]}")
    assert [dead.ask("GET", "/canary", **mine).body[each] for each in ("tcp", "udp")] == [False, False]


def test_a_pod_that_reaches_the_canary_is_refused(cage: Birdcage, tmp_path: Path) -> None:
    code, said = run_probe(order_of(cage.service, tmp_path, canary=cage.address))
    assert (code, said["reason"]) == (1, "NetworkNotIsolated")
    assert f"tcp {cage.address}" in said["message"]
    assert f"udp {cage.address}" in said["message"]
    assert not (tmp_path / "private" / "probe.json").exists()


def test_a_pod_without_a_network_is_proved(cage: Birdcage, tmp_path: Path) -> None:
    order = order_of(cage.service, tmp_path, canary=cage.address, blocked=("169.254.169.254:80", "no.such.name:53"))
    code, proof = run_probe(order, unshare("--net"))
    assert code == 0, proof
    tried = {(one["address"], one["protocol"]): (one["reached"], one["found"]) for one in proof["tried"]}
    assert tried == {
        (cage.address, "tcp"): (0, "unreachable"),
        (cage.address, "udp"): (0, "unreachable"),
        ("169.254.169.254:80", "tcp"): (0, "unreachable"),
        ("no.such.name:53", "tcp"): (0, "its name is not known"),
        ("no.such.name:53", "udp"): (0, "its name is not known"),
    }
    assert proof["held_seconds"] >= 0.3
    assert len(proof["canary_answered_service_at"]) == 2


def test_a_plug_in_that_refuses_instead_of_dropping_is_known_by_the_canary(cage: Birdcage, tmp_path: Path) -> None:
    """Nobody listens in there, so the kernel refuses everything, and the service has just heard the canary."""
    if not shutil.which("ip"):
        pytest.skip("there is no ip here")
    inside = [*unshare("--net"), *LOOPBACK_ALONE]
    blocked = ("127.0.0.1:81",)
    code, proof = run_probe(order_of(cage.service, tmp_path, canary=cage.address, blocked=blocked), inside)
    assert code == 0, proof
    assert {one["found"] for one in proof["tried"]} == {"refused"}
    code, said = run_probe(order_of(cage.service, tmp_path, blocked=blocked), inside)
    assert code == 1
    assert "tcp 127.0.0.1:81" in said["message"], "without a canary a refusal may be the host's own"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({}, "nothing to try", id="nothing to try"),
        pytest.param({"blocked": ["10.0.0.1"]}, "host:port", id="an address without a port"),
        pytest.param({"canary": "127.0.0.1:1"}, "same address", id="another canary than the service's"),
    ],
)
def test_a_probe_that_would_prove_nothing_is_refused(
    cage: Birdcage, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    code, said = run_probe(order_of(cage.service, tmp_path, **changes))
    assert (code, said["reason"]) == (1, "NetworkNotIsolated")
    assert words in said["message"]


def test_a_dead_canary_proves_nothing(start_desk: Callable[..., Service], tmp_path: Path) -> None:
    canary = f"127.0.0.1:{free_ports(1)[0]}"
    code, said = run_probe(order_of(start_desk(canary=canary), tmp_path, canary=canary), unshare("--net"))
    assert (code, said["reason"]) == (1, "NetworkNotIsolated")
    assert "would prove nothing" in said["message"]


CANARY = "10.0.0.1:7"


def asked_for(monkeypatch: pytest.MonkeyPatch, *answers: bool) -> list[bool]:
    """Whether the canary answers the service whenever that is asked, the last for ever; what is left to be said."""
    left = list(answers)

    def ask(_: DeskClient) -> dict[str, Any]:
        is_there = left.pop(0) if len(left) > 1 else left[0]
        return {"canary": CANARY, "address": CANARY.split(":"), "tcp": is_there, "udp": False}

    monkeypatch.setattr(DeskClient, "canary", ask)
    monkeypatch.setattr(probe_module, "CANARY_PAUSE_SECONDS", 0.05)
    monkeypatch.setattr(probe_module, "PAUSE_SECONDS", 0.05)
    return left


def test_a_canary_that_comes_back_is_waited_for(desk: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for(monkeypatch, False, False, True)
    monkeypatch.setattr(probe_module, "dial_canary", lambda *_: Heard.SILENCE)
    proof = Probe(order_of(desk, tmp_path, canary=CANARY, patience_seconds=30)).prove()
    assert proof["tried"][0]["reached"] == 0
    assert len(proof["canary_answered_service_at"]) == 2


def test_the_silence_of_a_canary_that_went_away_proves_nothing(
    desk: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = asked_for(monkeypatch, True, False, False, True)
    monkeypatch.setattr(probe_module, "dial_canary", lambda *_: Heard.SILENCE if len(left) > 1 else Heard.ANSWER)
    with pytest.raises(WorkerFailure, match=f"still reached what must be blocked: tcp {CANARY}"):
        Probe(order_of(desk, tmp_path, canary=CANARY)).prove()


def test_a_service_without_a_canary_does_not_vouch(desk: Service, tmp_path: Path) -> None:
    code, said = run_probe(order_of(desk, tmp_path, canary="127.0.0.1:1"), unshare("--net"))
    assert code == 1
    assert "There is no canary" in said["message"]


def rounds(monkeypatch: pytest.MonkeyPatch, *heard: Heard) -> Callable[[], int]:
    """What is heard in each round, the last for ever; how many there were."""
    left = list(heard)
    count = 0

    def hear(*_: object) -> Heard:
        nonlocal count
        count += 1
        return left.pop(0) if len(left) > 1 else left[0]

    monkeypatch.setattr(probe_module, "dial", hear)
    monkeypatch.setattr(probe_module, "PAUSE_SECONDS", 0.05)
    return lambda: count


def test_a_policy_that_comes_late_is_waited_for(desk: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds(monkeypatch, Heard.CONNECTION, Heard.CONNECTION, Heard.SILENCE)
    proof = Probe(order_of(desk, tmp_path, blocked=["10.0.0.1:80"], patience_seconds=30)).prove()
    assert proof["tried"][0]["reached"] == 2
    assert proof["held_seconds"] >= 0.3


def test_what_was_reached_again_starts_the_wait_anew(
    desk: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = rounds(monkeypatch, *[Heard.SILENCE] * 4, Heard.CONNECTION, Heard.SILENCE)
    proof = Probe(order_of(desk, tmp_path, blocked=["10.0.0.1:80"], patience_seconds=30)).prove()
    assert count() >= 5 + 6
    assert proof["tried"][0]["reached"] == 1


def test_a_policy_that_comes_and_goes_is_none(desk: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds(monkeypatch, *[Heard.SILENCE, Heard.SILENCE, Heard.CONNECTION] * 50)
    with pytest.raises(WorkerFailure, match="still reached"):
        Probe(order_of(desk, tmp_path, blocked=["10.0.0.1:80"])).prove()


@pytest.mark.parametrize(
    ("heard", "canary", "other", "other_where_refused"),
    [
        (Heard.ANSWER, True, True, True),
        (Heard.CONNECTION, True, True, True),
        (Heard.HANG_UP, False, True, True),
        (Heard.REFUSAL, False, True, False),
        (Heard.UNREACHABLE, False, False, False),
        (Heard.SILENCE, False, False, False),
        (None, False, False, False),
    ],
)
def test_what_counts_as_reached(heard: Heard | None, canary: bool, other: bool, other_where_refused: bool) -> None:
    address = ("10.0.0.1", 80)
    assert is_reached(Target("canary", "tcp", address, is_canary=True), heard, plug_in_refuses=False) is canary
    assert is_reached(Target("other", "tcp", address), heard, plug_in_refuses=False) is other
    assert is_reached(Target("other", "tcp", address), heard, plug_in_refuses=True) is other_where_refused


def test_dialling_tells_silence_from_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind(("127.0.0.1", 0))
        at: Callable[[socket.socket], tuple[str, int]] = lambda each: each.getsockname()  # noqa: E731
        assert dial(at(mute), "tcp", 1) is Heard.CONNECTION
        assert dial_canary(at(mute), "tcp", 0.2) is Heard.CONNECTION
        assert dial(at(deaf), "udp", 0.2) is Heard.SILENCE
        assert deaf.recv(512) == DNS_QUESTION
    nobody: tuple[tuple[str, int], Protocol] = (("127.0.0.1", free_ports(1)[0]), "tcp")
    assert dial(*nobody, 1) is Heard.REFUSAL
    assert dial(nobody[0], "udp", 1) is Heard.REFUSAL


def test_a_connection_that_is_hung_up_is_a_proxy_s_no() -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        caller = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import sys; from orchestrator.worker.dial import dial_canary; "
                f"print(dial_canary(('127.0.0.1', {proxy.getsockname()[1]}), 'tcp', 10).name)",
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        proxy.accept()[0].close()
        assert caller.communicate()[0].strip() == "HANG_UP"
