"""One attempt with everything real: a courier process, a launcher process, an agent, and a store in a folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tarfile
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.worker.orders import CourierOrder
from tests.worker.launched import SCRIPT
from tests.worker.processes import agents_of, kill, wait_for_the_last
from tests.worker.waiting import wait_for

NAMES = ("submission.csv", "clock.json", "run.json", "code.tar", "logs.tar", "logs/agent.log")


@dataclass
class Attempt:
    """An attempt's folders and processes. The agent is a Python program."""

    root: Path
    budget_seconds: float = 60.0
    changes: dict[str, Any] = field(default_factory=dict)
    """What differs from an ordinary order."""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    def __post_init__(self) -> None:
        for folder in (self.submission, self.code, self.logs, self.control, self.orders):
            folder.mkdir(parents=True)

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def submission(self) -> Path:
        return self.home / "submission"

    @property
    def code(self) -> Path:
        return self.home / "code"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def control(self) -> Path:
        return self.root / "control"

    @property
    def orders(self) -> Path:
        return self.root / "orders"

    @property
    def store(self) -> Path:
        return self.root / "store"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def order(self) -> CourierOrder:
        names = [*NAMES, *(f"snapshots/{number / 60:g}/submission.csv" for number in range(1, 60))]
        ordinary: dict[str, Any] = {
            "competition": "demo",
            "seed": 0,
            "attempt": 1,
            "version": "v1",
            "budget_seconds": self.budget_seconds,
            "grace_seconds": 1.0,
            "snapshot_every_seconds": 3600.0,
            "submission": self.submission,
            "code": self.code,
            "logs": self.logs,
            "control": self.control,
            "listen": f"fd:{self.listener.fileno()}",
            "uploads": {name: (self.store / name).as_uri() for name in names},
            "facts": {"agent": "test", "image": "none"},
        }
        return CourierOrder(**{**ordinary, **self.changes})

    def start_courier(self) -> subprocess.Popen[bytes]:
        order = self.orders / "courier.json"
        order.write_text(self.order().model_dump_json())
        command = [sys.executable, "-m", "orchestrator.worker", "courier", "--order", str(order)]
        with (self.root / "courier.log").open("ab") as log:
            process = subprocess.Popen(command, pass_fds=[self.listener.fileno()], stderr=log)
        self.processes.append(process)
        return process

    def start_launcher(self, agent: str | Sequence[str]) -> subprocess.Popen[bytes]:
        """The launcher, with an agent given as Python code (or as a command)."""
        if isinstance(agent, str):
            program = self.root / "agent.py"
            program.write_text(PRELUDE + agent)
            agent = [sys.executable, str(program)]
        process = subprocess.Popen(
            ["sh", str(SCRIPT), "--", *agent],
            env={**os.environ, **self.environment()},
            cwd=self.home,
            stdout=subprocess.DEVNULL,
        )
        self.processes.append(process)
        return process

    def environment(self) -> dict[str, str]:
        return {
            "CONTROL_DIR": str(self.control),
            "LOGS_DIR": str(self.logs),
            "SUBMISSION_DIR": str(self.submission),
            "CODE_DIR": str(self.code),
            "VALIDATION_URL": self.url,
        }

    def start(self, agent: str) -> tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]:
        return self.start_courier(), self.start_launcher(agent)

    def run(self, agent: str) -> dict[str, Any]:
        """From start to end; what run.json says."""
        courier, launcher = self.start(agent)
        return self.finish(courier, launcher)

    def finish(self, courier: subprocess.Popen[bytes], launcher: subprocess.Popen[bytes]) -> dict[str, Any]:
        assert courier.wait(60) == 0, self.courier_log
        launcher.wait(60)
        return self.record

    def wait_for_file(self, path: Path) -> None:
        wait_for(f"{path.name} to be there", path.exists)

    def wait_until(self, what: str, condition: Callable[[], object]) -> None:
        wait_for(what, condition)

    def in_store(self, name: str) -> bytes | None:
        path = self.store / name
        return path.read_bytes() if path.exists() else None

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.in_store("run.json") or b"{}")
        return found

    @property
    def consumed_seconds(self) -> float | None:
        found = self.in_store("clock.json")
        return None if found is None else float(json.loads(found)["consumed_seconds"])

    @property
    def courier_log(self) -> str:
        return (self.root / "courier.log").read_text()

    def names_in(self, tar: str) -> list[str]:
        with tarfile.open(self.store / tar) as opened:
            return opened.getnames()

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}{path}", timeout=30) as answer:
            return json.load(answer)

    def close(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
        kill(*agents_of(self.control))
        wait_for_the_last(self.root)
        self.listener.close()


PRELUDE = """
import os, pathlib, signal, sys, time
submission = pathlib.Path(os.environ["SUBMISSION_DIR"])
code = pathlib.Path(os.environ["CODE_DIR"])
logs = pathlib.Path(os.environ["LOGS_DIR"])
def submit(text):
    (submission / "draft").write_text(text)
    (submission / "draft").replace(submission / "submission.csv")
def mark(name):
    (code / name).touch()
"""
