"""Looking at processes: whether one is alive, which belong to an agent."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from tests.worker.waiting import wait_for


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


def naming(path: Path) -> list[int]:
    """Processes that have this path, or one below it, on their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(path).encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def wait_for_the_last(root: Path) -> None:
    """Until no process names a folder any more: a test leaves none behind."""
    wait_for(f"the last process that names {root} to end", lambda: not naming(root))


def kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
