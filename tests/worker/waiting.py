"""Waiting for something to become true, instead of for some time to pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(what: str, condition: Callable[[], T | None], seconds: float = 30.0) -> T:
    """What the condition returns once that is true; fails with a sentence if it never is."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds:g} s in vain for {what}")
