"""Run a piece of work in a process of its own and see what it cost.

Processes are forked from one that has imported everything, and each warms up on small data first, so that neither
start-up nor imports count. CPU seconds are user and system time of the process and of those that it started. Memory is
the peak of the resident set over what the process had after warming up.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

MEGABYTE = 1 << 20


class WorkFailed(Exception):
    """The work raised, died or took too long; the message says which."""


@dataclass(frozen=True)
class Cost:
    """What one run took, and what it gave back."""

    cpu_seconds: float
    wall_seconds: float
    peak_mb: float
    outcome: Any


def measure(work: Callable[[], Any], warm_up: Callable[[], Any], *, most_seconds: float) -> Cost:
    """What `work` costs, in a new process, after `warm_up`."""

    def timed() -> dict[str, Any]:
        warm_up()
        gc.collect()
        before_mb = _start_watching_memory()
        cpu, wall = _cpu_seconds(), time.perf_counter()
        outcome = work()
        seconds = {"cpu_seconds": _cpu_seconds() - cpu, "wall_seconds": time.perf_counter() - wall}
        return seconds | {"peak_mb": max(0.0, _peak_mb() - before_mb), "outcome": outcome}

    return Cost(**in_child(timed, most_seconds=most_seconds))


def in_child(work: Callable[[], Any], *, most_seconds: float) -> Any:
    """What `work` returns, which must be fit for JSON, when it runs in a forked process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _answer(work, writer)
    os.close(writer)
    try:
        answer = _read_all(reader, time.monotonic() + most_seconds)
    except TimeoutError:
        os.kill(child, signal.SIGKILL)
        raise WorkFailed(f"stopped after {most_seconds:.0f} s") from None
    finally:
        os.close(reader)
        _, status = os.waitpid(child, 0)
    if not answer:
        raise WorkFailed(f"the process died with status {os.waitstatus_to_exitcode(status)}")
    found = json.loads(answer)
    if "error" in found:
        raise WorkFailed(found["error"])
    return found["outcome"]


def _answer(work: Callable[[], Any], writer: int) -> NoReturn:
    try:
        answer = {"outcome": work()}
    except BaseException:  # noqa: BLE001 - reported by the parent
        answer = {"error": traceback.format_exc()}
    with os.fdopen(writer, "w") as out:
        json.dump(answer, out)
    os._exit(0)


def _read_all(reader: int, deadline: float) -> bytes:
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        part = os.read(reader, MEGABYTE)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _start_watching_memory() -> float:
    """Forget the peak so far; the resident set now, in MB."""
    Path("/proc/self/clear_refs").write_text("5")
    return _memory_mb("VmRSS")


def _peak_mb() -> float:
    return _memory_mb("VmHWM")


def _memory_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith(f"{field}:"))
    return int(kilobytes) / 1024
