"""Whom this pod reaches: not the canary, if a policy holds it, and what every agent's pod must reach and trust."""

from __future__ import annotations

import time
from typing import Any

from orchestrator.storage import web
from orchestrator.storage.retry import Transient
from orchestrator.storage.store import StoreError
from orchestrator.worker.addresses import split_address
from orchestrator.worker.dial import dial, dial_canary, resolve
from orchestrator.worker.orders import DoctorOrder
from orchestrator.worker.probe import CANARY_IS_REACHED, DIAL_SECONDS, OTHER_IS_REACHED, PAUSE_SECONDS


def look(order: DoctorOrder) -> dict[str, Any]:
    """What must be reached is tried first: it says whether names resolve at all."""
    until = time.monotonic() + order.patience_seconds
    found: dict[str, Any] = {"must_reach": {address: _reach(address, until) for address in order.must_reach}}
    if order.must_trust:
        found["trust"] = _trust(order.must_trust)
    if order.canary:
        found["canary"] = _canary(order.canary, order.hold_seconds, until)
    return found


def _reach(address: str, until: float) -> str:
    """Empty once it is reached, else what came back last. Plug-ins let packets through some time after a pod began."""
    host, port = split_address(address)
    while True:
        where = resolve(host, port)
        heard = dial(where, "tcp", DIAL_SECONDS) if where else None
        if heard in OTHER_IS_REACHED:
            return ""
        if time.monotonic() > until:
            return "its name is not known" if heard is None else heard.value
        time.sleep(PAUSE_SECONDS)


def _trust(url: str) -> str:
    """Why the server is not trusted; empty if it is, whatever it answers, or if there is no saying."""
    try:
        web.ask("GET", url)
    except StoreError as error:
        return str(error)
    except Transient:
        pass  # what is not reached has its own line
    return ""


def _canary(address: str, hold_seconds: float, until: float) -> dict[str, Any]:
    """Whether it is reached. With `hold_seconds`, that counts only while the plug-in had time to stop it."""
    host, port = split_address(address)
    silent_since: float | None = None
    while True:
        begun = time.monotonic()
        where = resolve(host, port)
        heard = dial_canary(where, "tcp", DIAL_SECONDS) if where else None
        reached = heard in CANARY_IS_REACHED
        found = {"reached": reached, "heard": "its name is not known" if heard is None else heard.value}
        silent_since = None if reached else silent_since or begun
        if not hold_seconds and reached:
            return found
        if hold_seconds and silent_since is not None and time.monotonic() - silent_since >= hold_seconds:
            return found
        if time.monotonic() > until:
            return found
        time.sleep(PAUSE_SECONDS)
