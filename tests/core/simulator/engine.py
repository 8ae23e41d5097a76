"""Virtual time: things that happen in order, and processes that wait, can be interrupted, and can be killed."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator
from datetime import UTC, datetime, timedelta

Life = Generator[float, None, None]
"""A process as a generator: it yields the seconds that it waits."""

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


class Engine:
    """A clock that jumps from one happening to the next."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0

    @property
    def now(self) -> datetime:
        return BEGINNING + timedelta(seconds=self.seconds)

    def after(self, delay: float, happen: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._queue, (self.seconds + max(0.0, delay), self._count, happen))

    def run(self, until: Callable[[], bool], limit: float) -> bool:
        """Go on until a condition holds; False: nothing is left to happen, or the limit was reached before."""
        while not until():
            if not self._queue or self._queue[0][0] > limit:
                return False
            self.seconds, _, happen = heapq.heappop(self._queue)
            happen()
        return True


class Interrupted(Exception):
    """Thrown into a process at the point where it waits."""


class Process:
    """A life that goes on in virtual time."""

    def __init__(self, engine: Engine, life: Life) -> None:
        self.is_alive = True
        self._engine = engine
        self._life = life
        self._wait = 0
        self._go_on(lambda: next(life))

    def interrupt(self) -> None:
        """Throw `Interrupted` where it waits."""
        if self.is_alive:
            self._go_on(lambda: self._life.throw(Interrupted()))

    def kill(self) -> None:
        """End it without another word."""
        self.is_alive = False
        self._life.close()

    def _go_on(self, step: Callable[[], float]) -> None:
        self._wait += 1
        try:
            delay = step()
        except StopIteration:
            self.is_alive = False
            return
        wait = self._wait
        self._engine.after(delay, lambda: self._wake(wait))

    def _wake(self, wait: int) -> None:
        if self.is_alive and wait == self._wait:
            self._go_on(lambda: next(self._life))
