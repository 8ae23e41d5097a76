"""Trying again: what is worth it, how often, and how long to wait in between."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from orchestrator.storage.store import StoreError

T = TypeVar("T")


class Transient(Exception):
    """It did not work this time and may the next: a broken connection, a busy server. The text says what was seen."""


@dataclass(frozen=True)
class Patience:
    """How long to keep trying: waits double from the first to the longest, each cut by a random part of up to half."""

    tries: int = 6
    first_wait_seconds: float = 0.25
    longest_wait_seconds: float = 20.0

    def waits(self) -> Iterator[float]:
        """Seconds to wait before each further try."""
        for number in range(self.tries - 1):
            longest = min(self.longest_wait_seconds, self.first_wait_seconds * 2**number)
            yield longest * random.uniform(0.5, 1)


PATIENCE = Patience()


def persist(action: str, attempt: Callable[[], T], patience: Patience) -> T:
    """What the attempt returns once it gets through; a StoreError when patience has run out."""
    waits = patience.waits()
    while True:
        try:
            return attempt()
        except Transient as error:
            pause(action, error, waits, patience)


def pause(action: str, error: Transient, waits: Iterator[float], patience: Patience) -> None:
    """Wait before the next try, or give up with a sentence."""
    wait = next(waits, None)
    if wait is None:
        raise StoreError(
            f"Cannot {action}: {error}, {patience.tries} times in a row; "
            "check that the store is up and can be reached from here, then start again."
        ) from error
    time.sleep(wait)
