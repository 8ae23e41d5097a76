"""Carries out one order: `mlectl worker ROLE --order FILE`, or `python -m orchestrator.worker ROLE --order FILE`.

Each role is a module with a `main(order)`, imported when it is its turn: the courier must start quickly and small.
"""

from __future__ import annotations

import importlib
import logging
import sys
import traceback
from pathlib import Path

from pydantic import ValidationError

from orchestrator.core.failures import Reason
from orchestrator.storage.store import StoreError
from orchestrator.worker import orders
from orchestrator.worker.failure import FAILURE, WorkerFailure, write_failure

ROLES: dict[str, tuple[type[orders.Order], Reason]] = {
    "prepare": (orders.PrepareOrder, Reason.DATASET_UNAVAILABLE),
    "stage": (orders.StageOrder, Reason.STAGING),
    "courier": (orders.CourierOrder, Reason.FILES_LOST),
    "grade": (orders.GradeOrder, Reason.GRADER_ERROR),
    "validation": (orders.ValidationOrder, Reason.GRADER_ERROR),
}
"""The order of each role, and the reason for a failure that nobody foresaw."""


def run(role: str, order_file: Path) -> int:
    """Do what the order says; the exit code (`failure.py` lists them)."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format=f"%(asctime)s {role} %(levelname)s %(message)s")
    kind, unforeseen = ROLES[role]
    order_file.with_name(FAILURE).unlink(missing_ok=True)
    try:
        order = kind.model_validate_json(order_file.read_bytes())
        code: int = importlib.import_module(f"orchestrator.worker.{role}").main(order)
        return code
    except WorkerFailure as error:
        failure = error
    except StoreError as error:
        failure = WorkerFailure(Reason.STORE_UNAVAILABLE, str(error), try_again=True)
    except ValidationError as error:
        failure = WorkerFailure(unforeseen, f"The order {order_file} can't be understood: {error}")
    except Exception as error:  # noqa: BLE001 (whatever it is, somebody waits for the reason)
        traceback.print_exc()
        failure = WorkerFailure(unforeseen, f"{type(error).__name__}: {error}")
    write_failure(order_file, role, failure)
    print(f"{role}: {failure.message}", file=sys.stderr)
    return failure.exit_code
