"""Starts and stops an instance's processes. Each leaves a pid file and a log under its own name."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.rig.errors import RigError
from tests.cluster.rig.layout import CHECKOUT, Instance

POLL_SECONDS = 0.05


def always() -> bool:
    return True


@dataclass(frozen=True)
class Program:
    """What to start, and how to tell that it works."""

    name: str
    argv: Sequence[str]
    is_ready: Callable[[], bool] = always


def start(rig: Instance, program: Program, within_seconds: float = 60) -> None:
    """Have the program running and ready. One that already runs is left alone."""
    name = program.name
    for folder in (logs(rig), pids(rig)):
        folder.mkdir(parents=True, exist_ok=True)
    if not is_running(rig, name):
        with (logs(rig) / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                program.argv, cwd=CHECKOUT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        process.returncode = 0  # it is to outlive this object, which would warn of that otherwise
        (pids(rig) / name).write_text(f"{process.pid} {birth(process.pid)}")

    deadline = time.monotonic() + within_seconds
    while not program.is_ready():
        if not is_running(rig, name):
            raise RigError(f"{name} ended while starting. Its last words:\n{tail(rig, name)}")
        if time.monotonic() > deadline:
            raise RigError(f"{name} was not ready within {within_seconds:.0f} s. Its last words:\n{tail(rig, name)}")
        time.sleep(POLL_SECONDS)


def stop(rig: Instance, name: str, patience_seconds: float = 15) -> None:
    """TERM, then KILL. Harmless when it does not run."""
    send(rig, name, signal.SIGTERM)
    if not wait_until_gone(rig, name, patience_seconds):
        kill(rig, name)
    (pids(rig) / name).unlink(missing_ok=True)


def kill(rig: Instance, name: str) -> None:
    """KILL, as a crash would."""
    send(rig, name, signal.SIGKILL)
    if not wait_until_gone(rig, name, patience_seconds=15):
        raise RigError(f"{name} lives on after KILL; see /proc/{pid_of(rig, name)}/stack for what holds it.")


def is_running(rig: Instance, name: str) -> bool:
    """Is it ours and alive? A pid that now belongs to another process counts as gone, and so does a zombie."""
    try:
        pid, born = (pids(rig) / name).read_text().split()
        return birth(int(pid)) == born
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return False


def running(rig: Instance) -> list[str]:
    """The names of all that run."""
    return [path.name for path in sorted(pids(rig).glob("*")) if is_running(rig, path.name)]


def naming(folder: Path) -> dict[int, str]:
    """By pid, the command line of each process that names something in this folder, whoever started it."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue  # it has ended meanwhile
        if f"{folder}/" in command:
            found[int(path.parent.name)] = command
    return found


def pid_of(rig: Instance, name: str) -> int:
    return int((pids(rig) / name).read_text().split()[0])


def write_if_changed(path: Path, text: str) -> Path:
    """Write a configuration, but only when it differs: kube-proxy ends at any write to its own."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


def logs(rig: Instance) -> Path:
    return rig.state / "logs"


def pids(rig: Instance) -> Path:
    return rig.state / "pids"


def tail(rig: Instance, name: str, lines: int = 15) -> str:
    return "\n".join((logs(rig) / f"{name}.log").read_text(errors="replace").splitlines()[-lines:])


def send(rig: Instance, name: str, number: signal.Signals) -> None:
    if is_running(rig, name):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid_of(rig, name), number)


def wait_until_gone(rig: Instance, name: str, patience_seconds: float) -> bool:
    deadline = time.monotonic() + patience_seconds
    while is_running(rig, name):
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def birth(pid: int) -> str:
    """The process's start time in clock ticks, which with its pid names it for good."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # collects it if it was our child and has ended
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except ProcessLookupError as error:
        raise FileNotFoundError(pid) from error
    return rest[18] if state != "Z" else "zombie"
