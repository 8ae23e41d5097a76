"""Ends what a killed pod process left running, so that a lost attempt does not eat the next one's machine."""

from __future__ import annotations

import psutil

MARK = "MLECTL_TASK"
"""Environment variable that every process of a task carries, with the task's folder as its value."""


def kill_leftovers(task_folder: str) -> int:
    """Kill every process that carries the task's mark; how many there were."""
    found = [process for process in psutil.process_iter() if _carries(process, task_folder)]
    for process in found:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(found, timeout=5)
    return len(found)


def _carries(process: psutil.Process, task_folder: str) -> bool:
    try:
        return bool(process.environ().get(MARK) == task_folder)
    except (psutil.Error, OSError):
        return False
