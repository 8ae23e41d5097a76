"""How a worker is given its order, and where it leaves word when it can't carry it out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.failures import Reason
from orchestrator.worker.failure import MOST_BYTES, WorkerFailure, to_json

COMMANDS = {
    "python -m": [sys.executable, "-m", "orchestrator.worker"],
    "mlectl": [str(Path(sys.executable).with_name("mlectl")), "worker"],
}


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest) -> list[str]:
    return COMMANDS[request.param]


def carry_out(command: list[str], role: str, source: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, role, "--order", source], env={**os.environ, **env}, capture_output=True, text=True
    )


def canary(listen: str) -> str:
    return json.dumps({"listen": listen})


def test_an_order_may_be_in_the_environment(command: list[str], tmp_path: Path) -> None:
    said = tmp_path / "termination-log"
    done = carry_out(command, "canary", "env:MLECTL_ORDER", MLECTL_ORDER=canary("nowhere"), MLECTL_FAILURE=str(said))
    assert done.returncode == 1
    assert "host:port" in json.loads(said.read_text())["message"]


def test_an_order_that_is_not_there_is_told(command: list[str], tmp_path: Path) -> None:
    said = tmp_path / "termination-log"
    done = carry_out(command, "stage", "env:NO_SUCH_ORDER", MLECTL_FAILURE=str(said))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "'NO_SUCH_ORDER' is not set" in json.loads(said.read_text())["message"]


def test_a_wrong_order_is_explained_without_its_secrets(command: list[str], tmp_path: Path) -> None:
    order = json.dumps({"desk": {"url": 1, "token": "mlv1.secret.secret"}, "canary": None, "surprise": "secret"})
    said = tmp_path / "termination-log"
    done = carry_out(command, "probe", "env:ORDER", ORDER=order, MLECTL_FAILURE=str(said))
    failure = json.loads(said.read_text())
    assert (done.returncode, failure["role"], failure["reason"]) == (1, "probe", "NetworkNotIsolated")
    assert all(name in failure["message"] for name in ("desk.url", "private", "surprise"))
    assert "secret" not in done.stderr + failure["message"]


def test_the_termination_log_is_written_in_place(tmp_path: Path) -> None:
    """In a container it is mounted, and nothing can be renamed over it."""
    said = tmp_path / "termination-log"
    said.write_text("of an earlier try" * 1000)
    before = said.stat().st_ino
    carry_out(COMMANDS["python -m"], "canary", "env:ORDER", ORDER=canary("nowhere"), MLECTL_FAILURE=str(said))
    assert json.loads(said.read_text())["role"] == "canary"
    assert said.stat().st_ino == before
    assert list(tmp_path.iterdir()) == [said]


def test_without_it_word_is_left_beside_the_order(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text(canary("nowhere"))
    carry_out(COMMANDS["python -m"], "canary", str(tmp_path / "order.json"))
    assert json.loads((tmp_path / "failure.json").read_text())["role"] == "canary"


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["nobody", "--order", "env:ORDER"], id="an unknown role"),
        pytest.param(["stage", "--order", "no/such/file"], id="an order that is not there"),
    ],
)
def test_mlectl_says_what_is_wrong_with_the_command(arguments: list[str]) -> None:
    done = subprocess.run([*COMMANDS["mlectl"], *arguments], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["x" * 9000, "é" * 9000, "\N{PILE OF POO}" * 9000, "\0" * 9000, '"' * 9000])
def test_a_long_sentence_is_cut_and_the_rest_is_whole(text: str) -> None:
    data = to_json("stage", WorkerFailure(Reason.STAGING, text))
    cut = to_json("stage", WorkerFailure(Reason.STAGING, text), MOST_BYTES)
    said: dict[str, Any] = json.loads(cut)
    assert json.loads(data)["message"] == text
    assert MOST_BYTES - 24 <= len(cut) <= MOST_BYTES
    assert text.startswith(said["message"].removesuffix("…"))
    assert said["message"].endswith("…")


@given(st.text(max_size=3000), st.integers(min_value=200, max_value=MOST_BYTES))
def test_it_always_fits(text: str, most: int) -> None:
    cut = to_json("stage", WorkerFailure(Reason.STAGING, text), most)
    assert len(cut) <= most
    assert json.loads(cut)["reason"] == "Staging"
