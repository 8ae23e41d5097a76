"""Carries out one order: `mlectl worker ROLE --order SOURCE`, or `python -m orchestrator.worker ROLE --order SOURCE`.

The source is a file, or `env:NAME` for a variable of the environment, as in pods. Each role is a module with a
`main(order)`, imported when it is its turn: the courier must start quickly and small.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
import traceback
from pathlib import Path

from pydantic import ValidationError

from orchestrator.core.failures import Reason
from orchestrator.storage.store import StoreError
from orchestrator.worker import orders
from orchestrator.worker.failure import WorkerFailure, forget_failure, write_failure

ROLES: dict[str, tuple[type[orders.Order], Reason]] = {
    "prepare": (orders.PrepareOrder, Reason.DATASET_UNAVAILABLE),
    "stage": (orders.StageOrder, Reason.STAGING),
    "probe": (orders.ProbeOrder, Reason.NETWORK_NOT_ISOLATED),
    "canary": (orders.CanaryOrder, Reason.NETWORK_NOT_ISOLATED),
    "buckets": (orders.BucketsOrder, Reason.STORE_UNAVAILABLE),
    "courier": (orders.CourierOrder, Reason.FILES_LOST),
    "grade": (orders.GradeOrder, Reason.GRADER_ERROR),
    "validation": (orders.ValidationOrder, Reason.GRADER_ERROR),
    "doctor": (orders.DoctorOrder, Reason.NOT_CONFIGURED),
}
"""The order of each role, and the reason for a failure that nobody foresaw."""
VARIABLE = "env:"


def run(role: str, source: str | Path) -> int:
    """Do what the order says; the exit code (`failure.py` lists them)."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format=f"%(asctime)s {role} %(levelname)s %(message)s")
    kind, unforeseen = ROLES[role]
    order_file = None if str(source).startswith(VARIABLE) else Path(source)
    forget_failure(order_file)
    try:
        order = kind.model_validate_json(read_order(str(source), unforeseen))
        code: int = importlib.import_module(f"orchestrator.worker.{role}").main(order)
        return code
    except WorkerFailure as error:
        failure = error
    except StoreError as error:
        failure = WorkerFailure(Reason.STORE_UNAVAILABLE, str(error), try_again=True)
    except ValidationError as error:
        failure = WorkerFailure(unforeseen, f"The order {source} can't be understood: {describe(error)}.")
    except Exception as error:  # noqa: BLE001 (whatever it is, somebody waits for the reason)
        traceback.print_exc()
        failure = WorkerFailure(unforeseen, f"{type(error).__name__}: {error}")
    write_failure(order_file, role, failure)
    print(f"{role}: {failure.message}", file=sys.stderr)
    return failure.exit_code


def read_order(source: str, unforeseen: Reason) -> str | bytes:
    """The order's JSON, from a file or from the environment."""
    if not source.startswith(VARIABLE):
        return Path(source).read_bytes()
    name = source.removeprefix(VARIABLE)
    if name not in os.environ:
        raise WorkerFailure(unforeseen, f"There is no order: the variable {name!r} is not set.")
    return os.environ[name]


def describe(error: ValidationError) -> str:
    """What is wrong with an order. Its values are not shown: some are secret."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'all of it'}: {one['msg']}" for one in problems)
