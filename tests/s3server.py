"""A real S3 server for tests: SeaweedFS on loopback, in a folder of its own, gone when its tests are.

with S3Server.start() as server:
    store = open_store(server.url("bucket"))      # with server.environment in os.environ
"""

from __future__ import annotations

import ctypes
import io
import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from minio import Minio

PATIENCE_SECONDS = 60
SERVICES = ("master.port", "master.port.grpc", "volume.port", "volume.port.grpc", "filer.port", "filer.port.grpc")


@dataclass(frozen=True)
class Account:
    """Keys, and what they allow."""

    access_key: str
    secret_key: str
    actions: tuple[str, ...]

    @property
    def environment(self) -> dict[str, str]:
        """As `open_store` reads it."""
        return {"AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key}

    def config(self) -> dict[str, Any]:
        """As SeaweedFS reads it."""
        keys = [{"accessKey": self.access_key, "secretKey": self.secret_key}]
        return {"name": self.access_key, "credentials": keys, "actions": self.actions}


OWNER = Account("owner-key", "owner-secret", ("Admin", "Read", "Write", "List", "Tagging"))
READER = Account("reader-key", "reader-secret", ("Read", "List"))
GRADER = Account(
    "grader-key",
    "grader-secret",
    (
        *(f"{action}:{bucket}" for bucket in ("public", "private") for action in ("Read", "List")),
        *(f"{action}:runs" for action in ("Read", "List", "Write", "Tagging")),
    ),
)
"""As the grader and the validation service have it: they read public and private, and write runs."""
ACCOUNTS = (OWNER, READER, GRADER)


class S3Server:
    """A running server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.ports: list[int] = []
        self.process: subprocess.Popen[bytes] | None = None

    @classmethod
    def start(cls) -> S3Server:
        """Start it and wait until it has stored an object."""
        server = cls(Path(tempfile.mkdtemp(prefix="s3-")))
        try:
            server.launch()
        except BaseException:
            server.stop()
            raise
        return server

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, bucket: str, prefix: str = "", endpoint: str | None = None) -> str:
        """What `open_store` takes."""
        return f"s3://{bucket}/{prefix}?endpoint={endpoint or self.endpoint}&region=us-east-1"

    def client(self) -> Minio:
        keys = {"access_key": OWNER.access_key, "secret_key": OWNER.secret_key}
        return Minio(f"127.0.0.1:{self.port}", secure=False, region="us-east-1", **keys)

    def make_bucket(self, name: str) -> None:
        """Make a bucket and wait until it takes objects: the server makes room for a new one at the first write."""
        client = self.client()
        if not client.bucket_exists(name):
            client.make_bucket(name)
        client.put_object(name, "probe", io.BytesIO(b"probe"), 5)
        client.remove_object(name, "probe")

    def launch(self) -> None:
        identities = [account.config() for account in ACCOUNTS]
        config = self.folder / "s3.json"
        config.write_text(json.dumps({"identities": identities}))
        (self.folder / "data").mkdir()
        self.ports = free_ports(2 + len(SERVICES))
        self.port, s3_grpc, *ports = self.ports
        options = {
            "dir": self.folder / "data",
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "master.telemetry": "false",
            "master.volumeSizeLimitMB": 64,
            "volume.max": 100,
            "volume.preStopSeconds": 0,
            "filer": "true",
            "s3": "true",
            "s3.port": self.port,
            "s3.port.grpc": s3_grpc,
            "s3.port.iceberg": 0,
            "s3.port.lance": 0,
            "s3.config": config,
            **dict(zip(SERVICES, ports, strict=True)),
        }
        weed = shutil.which("weed", path=str(Path(sys.executable).parent)) or shutil.which("weed")
        assert weed, "the command weed is not installed; run make venv"
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [weed, "server", *(f"-{name}={value}" for name, value in options.items())],
                env={"TMPDIR": str(self.folder), "HOME": str(self.folder), "PATH": "/usr/bin:/bin"},
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            assert self.process is not None
            assert self.process.poll() is None, f"weed ended: {self.read_log()}"
            if self.is_ready():
                return
            time.sleep(0.05)
        raise AssertionError(f"weed was not ready in {PATIENCE_SECONDS} s: {self.read_log()}")

    def is_ready(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.endpoint}/healthz", timeout=5).close()
        except (OSError, urllib.error.URLError):
            return False
        self.make_bucket("ready")
        return True

    def read_log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-2000:]

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        for port in self.ports:  # weed puts these into /tmp whatever TMPDIR says
            for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                left.unlink()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> S3Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on at this moment."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def die_with_parent() -> None:
    """Have the kernel end the server should the tests be killed (Linux; elsewhere `stop` has to do)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
