"""Keeps an agent apart from the rest of this machine with Linux namespaces, where the kernel allows it.

Inside, the agent sees the system's programs, the Python that runs mlectl, and its own folders at the paths they have in
a pod (/home/data, /home/submission, ...). With network mode none it has a loopback of its own, where the courier
listens. `is_available` tries the real thing once; where it does not work the agent runs unprotected, and the record and
the report say so.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ENTER = Path(__file__).with_name("enter.py")
COURIER_PORT = 5000

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
)
ETC = (
    "alternatives", "ca-certificates", "fonts", "group", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
    "localtime", "mime.types", "nsswitch.conf", "passwd", "ssl",
)  # fmt: skip


@dataclass(frozen=True)
class Mount:
    """A folder or file of this machine, and where the agent sees it."""

    source: str
    target: str
    writable: bool = False


@dataclass(frozen=True)
class Sandbox:
    """What an agent is to see and have."""

    mounts: Sequence[Mount]
    own_network: bool
    limits: Mapping[str, int]

    def start(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: str, scratch: Path
    ) -> tuple[subprocess.Popen[bytes], socket.socket | None]:
        """Start a program inside; also the courier's listening socket, if the sandbox has a network of its own."""
        scratch.mkdir(parents=True, exist_ok=True)
        root = scratch / "root"
        root.mkdir(exist_ok=True)
        ours, theirs = socket.socketpair()
        with ours, theirs:
            plan = {
                "root": str(root),
                "mounts": [asdict(item) for item in (*system_mounts(), *self.mounts, *python_mounts())],
                "listen_port": COURIER_PORT if self.own_network else None,
                "listener_fd": theirs.fileno(),
                "limits": dict(self.limits),
                "argv": list(argv),
                "env": dict(env),
                "cwd": cwd,
            }
            plan_file = scratch / "plan.json"
            plan_file.write_text(json.dumps(plan))
            process = subprocess.Popen(
                [*unshare(own_network=self.own_network), sys.executable, "-I", str(ENTER), str(plan_file)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )
            theirs.close()
            return process, receive_listener(ours) if self.own_network else None


def unshare(*, own_network: bool) -> list[str]:
    network = ["--net"] if own_network else []
    return [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--ipc",
        "--uts",
        *network,
    ]


def receive_listener(channel: socket.socket) -> socket.socket | None:
    """The socket that `enter.py` hands out; None if the sandbox failed before it could."""
    channel.settimeout(30)
    _, descriptors, _, _ = socket.recv_fds(channel, 16, 1)
    return socket.socket(fileno=descriptors[0]) if descriptors else None


def system_mounts() -> list[Mount]:
    """Programs and libraries, and the few settings that programs look up."""
    folders = [*SYSTEM, *(f"/etc/{name}" for name in ETC)]
    return [Mount(path, path) for path in folders if os.path.lexists(path)]


def python_mounts() -> list[Mount]:
    """The Python that runs this. Mounted last, because it may lie below a folder of the agent's, such as /tmp."""
    found = {str(Path(prefix).resolve()) for prefix in (sys.prefix, sys.base_prefix)} | {sys.prefix}
    return [Mount(path, path) for path in sorted(found) if path != "/usr" and not path.startswith("/usr/")]


@functools.cache
def is_available() -> bool:
    """Whether this machine lets us build a sandbox: tried, not guessed."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        test = Sandbox(mounts=[], own_network=True, limits={})
        try:
            process, listener = test.start(["/bin/true"], env={}, cwd="/", scratch=Path(folder) / "try")
        except (OSError, ValueError):
            return False
        if listener is not None:
            listener.close()
        return process.wait() == 0
