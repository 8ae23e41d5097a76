"""Looking at processes: whether one is alive, which belong to an agent."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be taken notice of does not."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return "\nState:\tZ" not in status


def agents_of(control: Path) -> list[int]:
    """Processes that carry the launcher's mark of this control folder."""
    mark = f"MLECTL_AGENT_OF={control}//".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes() and is_alive(int(folder.name)):
                found.append(int(folder.name))
    return found


def followers_of(log: Path) -> list[int]:
    """What copies an agent's log for a launcher that was killed; in a container it goes with the container."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "cmdline").read_bytes().split(b"\0")[-2:-1] == [str(log).encode()]:
                found.append(int(folder.name))
    return found


def kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
