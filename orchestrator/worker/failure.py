"""How a worker ends when it can't do its work: an exit code, a sentence on stderr, and failure.json.

    0   done
    1   the thing itself failed; trying again changes nothing until somebody acts
    3   something needed is out of reach (the store, Kaggle); trying again makes sense

failure.json has the role, a reason from the closed list of `core.failures`, the sentence, and whether to try again. It
lies beside the order, or is the file that MLECTL_FAILURE names: in a pod /dev/termination-log, which can only be
overwritten, and of which Kubernetes shows 4,096 bytes.
"""

from __future__ import annotations

import json
import os
from enum import IntEnum
from pathlib import Path

from orchestrator.core.failures import Reason
from orchestrator.worker.files import replace_file

FAILURE = "failure.json"
FAILURE_VARIABLE = "MLECTL_FAILURE"
MOST_BYTES = 4096
LONGEST_ESCAPE = 12
"""Bytes of JSON that one character may need."""


class ExitCode(IntEnum):
    DONE = 0
    FAILED = 1
    OUT_OF_REACH = 3


class WorkerFailure(Exception):
    """The worker gives up: why, in one word for programs and one sentence for people."""

    def __init__(self, reason: Reason, message: str, *, try_again: bool = False) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.try_again = try_again

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.OUT_OF_REACH if self.try_again else ExitCode.FAILED


def forget_failure(order: Path | None) -> None:
    """Remove what an earlier try said."""
    if given := os.environ.get(FAILURE_VARIABLE):
        Path(given).write_bytes(b"")
    elif order is not None:
        order.with_name(FAILURE).unlink(missing_ok=True)


def write_failure(order: Path | None, role: str, failure: WorkerFailure) -> None:
    """Leave word for whoever gave the order; an order that was no file has no place beside it."""
    if given := os.environ.get(FAILURE_VARIABLE):
        Path(given).write_bytes(to_json(role, failure, MOST_BYTES))
    elif order is not None:
        replace_file(order.with_name(FAILURE), to_json(role, failure))


def to_json(role: str, failure: WorkerFailure, most_bytes: int | None = None) -> bytes:
    """What is said, as JSON; the sentence is cut where the whole would be too long."""
    message = failure.message
    while True:
        said = {"role": role, "reason": failure.reason, "message": message, "try_again": failure.try_again}
        data = json.dumps(said, indent=1).encode()
        excess = 0 if most_bytes is None else len(data) - most_bytes
        if excess <= 0:
            return data
        message = f"{message[: -1 - max(1, excess // LONGEST_ESCAPE)]}…"
