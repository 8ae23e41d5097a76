"""The agent's time: how much is left, what a step will take, and the exception that ends work when it is up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType


class Stopped(BaseException):
    """Work ends here; what was finished is safe. Not an Exception, so that no library takes it for one of its own."""


class Clock:
    """Counts down from the time limit, less a reserve for leaving in order."""

    def __init__(self, limit_seconds: float | None, started: float) -> None:
        reserve = 0.0 if limit_seconds is None else min(60.0, max(0.5, limit_seconds / 20), limit_seconds / 2)
        self._deadline = None if limit_seconds is None else started + limit_seconds - reserve
        self._why = ""

    def left(self) -> float:
        """Seconds that may still be used."""
        return float("inf") if self._deadline is None else self._deadline - monotonic()

    def check(self) -> None:
        """Raise `Stopped` if work should have ended by now."""
        if not self._why and self.left() <= 0:
            self._why = "the time limit is near"
        if self._why:
            raise Stopped(self._why)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Within this, `Stopped` is raised in the middle of things when the time is up or a TERM or INT comes."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, self._stop)
        # Repeats, because an exception that is raised while an object is being finalised gets lost.
        if self._deadline is not None:
            signal.setitimer(signal.ITIMER_REAL, max(self.left(), 0.001), 0.2)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
                signal.signal(number, signal.SIG_IGN)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        told = "the time limit is near" if number == signal.SIGALRM else f"told to by {signal.Signals(number).name}"
        self._why = self._why or told
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
        raise Stopped(self._why)


class Pace:
    """How fast this machine gets work done, by the quickest step so far: hopeful, as the clock ends too much anyway."""

    def __init__(self) -> None:
        self._seconds_per_unit: float | None = None

    def note(self, work: float, seconds: float) -> None:
        """A step of that much work took that long."""
        if work > 0:
            self._seconds_per_unit = min(seconds / work, self._seconds_per_unit or float("inf"))

    def seconds_for(self, work: float) -> float:
        """What so much work should take; 0 as long as nobody knows."""
        return work * (self._seconds_per_unit or 0.0)
