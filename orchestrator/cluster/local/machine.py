"""What of a spec's hardware this machine can give, and the limits that hold a process to it."""

from __future__ import annotations

import math
import os
from pathlib import Path

import psutil

from orchestrator.api.types import Resources, parse_quantity


def cpus(resources: Resources) -> int:
    """Whole CPUs for an agent: what the spec says, as far as they are here."""
    return max(1, min(math.ceil(parse_quantity(resources.cpu)), len(os.sched_getaffinity(0))))


def memory_bytes(resources: Resources) -> int:
    return min(int(parse_quantity(resources.memory)), int(psutil.virtual_memory().total))


def gpus(resources: Resources) -> int:
    return min(resources.gpu.count, len(list(Path("/dev").glob("nvidia[0-9]*"))))


def describe(resources: Resources) -> str:
    """The agent's HARDWARE: what it really gets, in words."""
    parts = [f"{cpus(resources)} CPUs", f"{memory_bytes(resources) / 2**30:.0f} GiB of memory"]
    parts.append(f"{gpus(resources)} GPUs" if gpus(resources) else "no GPU")
    return ", ".join(parts)


def process_limits(resources: Resources) -> dict[str, int]:
    """Limits of each of an agent's processes (there is no limit over all of them without a control group)."""
    return {
        "RLIMIT_CORE": 0,
        "RLIMIT_DATA": memory_bytes(resources),
        "RLIMIT_FSIZE": int(parse_quantity(resources.storage)),
    }
