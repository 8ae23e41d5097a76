"""Orders as files, carried out by the workers: here, or as processes where the test is about that."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from orchestrator.worker.failure import FAILURE
from orchestrator.worker.orders import Order
from orchestrator.worker.run import run


@dataclass(frozen=True)
class Done:
    """How a worker ended."""

    code: int
    stderr: str
    failure: dict[str, Any]
    """What it left beside its order; empty if nothing."""


def carry_out(role: str, order: Order, folder: Path) -> Done:
    """What `mlectl worker` does, in this process."""
    file = write_order(role, order, folder)
    stderr = StringIO()
    with redirect_stderr(stderr):
        code = run(role, file)
    return Done(code, stderr.getvalue(), read_failure(file))


def carry_out_as_process(role: str, file: Path) -> Done:
    """What a pod does."""
    command = [sys.executable, "-m", "orchestrator.worker", role, "--order", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return Done(done.returncode, done.stderr, read_failure(file))


def write_order(role: str, order: Order, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{role}.json"
    file.write_text(order.model_dump_json())
    return file


def read_failure(order: Path) -> dict[str, Any]:
    file = order.with_name(FAILURE)
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found
