"""The doctor's eyes in a pod: what only a pod can see, told as the container's last words.

`mlectl doctor --probe` starts such pods with the identities and under the policies of true ones, and judges what they
tell (`orchestrator/cli/doctor`). Nothing here judges, and a thing that can't be done is a finding, not a failure. A pod
that is told to go removes first what it wrote.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from orchestrator.worker.doctor import clocks, network, rules, stores
from orchestrator.worker.failure import FAILURE_VARIABLE, MOST_BYTES, ExitCode
from orchestrator.worker.orders import DoctorOrder

LONGEST = 400
"""Characters of one sentence: Kubernetes keeps 4,096 bytes of last words."""


def main(order: DoctorOrder) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ExitCode.FAILED))  # as PID 1 we would not hear it otherwise
    found: dict[str, Any] = {}
    if order.canary or order.must_reach:
        found["network"] = network.look(order)
    if order.stores:
        found["stores"] = stores.look(order.stores, order.nonce)
        if order.measured_bytes:
            found["speed"] = stores.measure(order.stores.runs, order.nonce, order.measured_bytes)
    if order.clocks:
        found["clocks"] = clocks.look(order.stores)
    if order.kaggle is not None:
        found["kaggle"] = rules.look(order)
    tell(found)
    return ExitCode.DONE


def tell(found: dict[str, Any]) -> None:
    """Where a failure would be told; on stdout where there is no such place."""
    longest = LONGEST
    while len(text := json.dumps(_shortened(found, longest)).encode()) > MOST_BYTES:
        longest //= 2
    if place := os.environ.get(FAILURE_VARIABLE):
        Path(place).write_bytes(text)
    else:
        print(text.decode())


def _shortened(value: Any, longest: int) -> Any:
    if isinstance(value, dict):
        return {key: _shortened(one, longest) for key, one in value.items()}
    if isinstance(value, list):
        return [_shortened(one, longest) for one in value]
    return f"{value[: longest - 1]}…" if isinstance(value, str) and len(value) > longest else value
