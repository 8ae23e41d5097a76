"""How a worker ends when it can't do its work: an exit code, a sentence on stderr, and failure.json beside its order.

    0   done
    1   the thing itself failed; trying again changes nothing until somebody acts
    3   something needed is out of reach (the store, Kaggle); trying again makes sense

failure.json has the role, a reason from the closed list of `core.failures`, the sentence, and whether to try again.
"""

from __future__ import annotations

import json
from enum import IntEnum
from pathlib import Path

from orchestrator.core.failures import Reason
from orchestrator.worker.files import replace_file

FAILURE = "failure.json"


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


def write_failure(order: Path, role: str, failure: WorkerFailure) -> None:
    """Leave word beside the order, for whoever gave it."""
    said = {"role": role, "reason": failure.reason, "message": failure.message, "try_again": failure.try_again}
    replace_file(order.with_name(FAILURE), json.dumps(said, indent=1))
