"""A grader in a child process with a limit on its memory, and a limit on how long anybody waits for a verdict.

The parent writes a line of JSON for each submission and reads one back. A child that runs out of either limit, dies, or
raises anything at all is told as a `Failure`: graders end in a report, whatever the submission.
"""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Self

MORE_BYTES = 1 << 30
"""Of address space, on top of what the interpreter and its libraries take; fuzzed submissions have a few megabytes."""
PATIENCE_SECONDS = 120
"""Honest and fuzzed ones alike take milliseconds: this is for machines that are busy with something else."""


class Failure(AssertionError):
    """A submission that ended in something else than a report."""


@dataclass(frozen=True)
class Verdict:
    """What a report says, as far as the fuzz tests look at it."""

    valid: bool
    score: float | None
    reason: str | None
    rejection: dict[str, Any] | None
    warnings: tuple[str, ...]


class BoundedGrader:
    """Grades submissions in a child, which is started anew when it fails."""

    def __init__(self, grade: str = "graders:grade", patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._grade = grade
        self._patience_seconds = patience_seconds

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def grade(self, competition_id: str, submission: Path, private: Path, version: str) -> Verdict:
        request = {"id": competition_id, "submission": str(submission), "private": str(private), "version": version}
        pipe = self._child.stdin
        assert pipe is not None
        pipe.write(json.dumps(request).encode() + b"\n")
        pipe.flush()
        answer = self._answer()
        if "failure" in answer:
            raise Failure(answer["failure"])
        return Verdict(**(answer | {"warnings": tuple(answer["warnings"])}))

    def _answer(self) -> dict[str, Any]:
        pipe = self._child.stdout
        assert pipe is not None
        ready, _, _ = select.select([pipe], [], [], self._patience_seconds)
        line = pipe.readline() if ready else b""
        if not line:
            self._stop()
            ended = f"ended with {self._child.returncode}" if ready else f"took more than {self._patience_seconds} s"
            self._start()
            raise Failure(f"the grader's process {ended}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _start(self) -> None:
        command = [sys.executable, "-W", "error", __file__, self._grade]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _stop(self) -> None:
        self._child.kill()
        self._child.communicate()


def main() -> None:
    """The child: verdicts on stdout, until stdin ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a grader might print is no answer
    grade = resolve_name(sys.argv[1])
    _limit_memory()
    for line in sys.stdin:
        print(json.dumps(_judge(grade, json.loads(line))), file=answers, flush=True)


def _limit_memory() -> None:
    import sklearn.metrics  # noqa: F401 - brings in the libraries, which are no part of what a submission costs

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MORE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _judge(grade: Callable[..., Any], request: dict[str, str]) -> dict[str, Any]:
    try:
        report = grade(request["id"], Path(request["submission"]), Path(request["private"]), request["version"])
    except BaseException:  # noqa: BLE001 - the fuzz tests are about what else there might be
        return {"failure": traceback.format_exc()}
    return {
        "valid": report.valid,
        "score": report.score,
        "reason": report.reason,
        "rejection": report.rejection,
        "warnings": report.warnings,
    }


if __name__ == "__main__":
    main()
