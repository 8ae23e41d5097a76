"""The validation service of this machine: one process a home, started when agents run, on the same address again."""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import signal
import socket
import subprocess
import sys

from orchestrator.cluster.local.files import try_lock, write_atomically
from orchestrator.cluster.local.home import Home
from orchestrator.worker.orders import ValidationOrder


class ValidationService:
    """Runs while this object is open; another `mlectl run` of the same home shares it and takes over when it ends."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.folder = home.validation
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None
        self.secret = self._keep("secret", secrets.token_hex(32))
        self.address = self._keep("address", f"http://127.0.0.1:{_free_port()}")

    def _keep(self, name: str, fresh: str) -> str:
        """A value that is made once in the life of a home."""
        path = self.folder / f"{name}.json"
        if not path.exists():
            write_atomically(path, json.dumps(fresh))
            path.chmod(0o600)
        return str(json.loads(path.read_text()))

    def ensure(self) -> None:
        """Start the service if nobody runs it."""
        if self.process is not None and self.process.poll() is None:
            return
        lock = try_lock(self.folder / "lock")
        if lock is None:
            return  # another mlectl of this home has it
        order = ValidationOrder(
            stores=self.home.stores,
            listen=self.address.removeprefix("http://"),
            secret=self.secret,
            scratch=self.folder / "scratch",
        )
        write_atomically(self.folder / "order.json", order.model_dump_json())
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "orchestrator.worker", "validation", "--order", str(self.folder / "order.json")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[lock],
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )
        os.close(lock)

    def close(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _end_with_parent() -> None:
    """In the child: end when `mlectl run` is gone, also if it was killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
