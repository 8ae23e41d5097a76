"""Has submissions judged by a process of their own (`judge.py`), so that none can take down the one that asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

import psutil

KEPT = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "PYTHONPATH", "TMPDIR", "VIRTUAL_ENV")
THREADS = ("MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
SHARE = 0.8
"""Of the memory there is, the rest being for whoever asks."""


class NotJudged(Exception):
    """There is no verdict, and not through the submission's fault; the message says why."""


class Judge:
    """One such process, started by `start` or the first request. Requests of several threads wait for each other."""

    def __init__(self, memory_bytes: int | None = None, seconds: float = 600.0, shared_by: int = 1) -> None:
        self.memory_bytes = memory_bytes or int(available_memory() * SHARE) // shared_by
        self.seconds = seconds
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()

    def start(self) -> None:
        """Have it import the graders now, so that the first request need not wait for that."""
        with self.lock:
            self._running()

    def grade(self, competition: str, version: str, submission: Path, answers: Path) -> dict[str, Any]:
        """The report on a submission, as JSON values."""
        report: dict[str, Any] = self._ask("grade", competition, version, submission, answers)["report"]
        return report

    def validate(self, competition: str, version: str, submission: Path, answers: Path) -> str | None:
        """Why a submission would be rejected, in a sentence; None if it is valid."""
        answer = self._ask("validate", competition, version, submission, answers)
        return None if "valid" in answer else str(answer["rejection"])

    def _ask(self, task: str, competition: str, version: str, submission: Path, answers: Path) -> dict[str, Any]:
        request = {
            "task": task,
            "competition": competition,
            "version": version,
            "submission": str(submission),
            "answers": str(answers),
            "memory_bytes": self.memory_bytes,
            "seconds": self.seconds,
        }
        with self.lock:
            answer = self._exchange(json.dumps(request))
        if "error" in answer:
            raise NotJudged(str(answer["error"]))
        return answer

    def _exchange(self, line: str) -> dict[str, Any]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            said = process.stdout.readline()
        except BrokenPipeError:
            said = ""
        if not said:
            self.close()
            return {"error": "The judging process is gone; its log says why. Try again."}
        answer: dict[str, Any] = json.loads(said)
        return answer

    def _running(self) -> subprocess.Popen[str]:
        if self.process is None or self.process.poll() is not None:
            self.close()
            self.process = subprocess.Popen(
                [sys.executable, "-m", "orchestrator.worker.judge"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=environment(),
            )
        return self.process

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            with self.process:
                self.process = None

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def environment() -> dict[str, str]:
    """What Python needs, and nothing that opens a store. One thread each: several judges share the machine."""
    return {name: os.environ[name] for name in KEPT if name in os.environ} | dict.fromkeys(THREADS, "1")


def available_memory() -> int:
    """Bytes that this container, or else this machine, has."""
    most = int(psutil.virtual_memory().total)
    for path in CGROUP_LIMITS:
        text = path.read_text().strip() if path.exists() else ""
        if text.isdigit():
            most = min(most, int(text))
    return most
