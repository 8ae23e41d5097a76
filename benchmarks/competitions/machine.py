"""The machine and the libraries that measurements came from, without names or places."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("numpy", "pandas", "scikit-learn", "scipy", "pyarrow")


def describe() -> str:
    """One line: processor, cores, memory, system, Python and libraries."""
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory_gb:.0f} GB; {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, {libraries}"
    )


def load() -> float:
    """How many processes wanted to run at once, over the last minute."""
    return round(os.getloadavg()[0], 1)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "an unnamed processor"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "an unnamed processor")
