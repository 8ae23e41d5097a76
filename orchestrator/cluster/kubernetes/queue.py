"""What is to be looked at next, each thing once.

An item stands in the queue at most once, at the earliest time that anybody asked for; whoever processes it says anew
when it is to be looked at again. An item that is added while it is being processed is processed once more afterwards,
never by two at a time. Items that fail come back later and later, each on its own; a rate limit over all of them keeps
a storm of news from becoming a storm of requests.

    while (item := queue.get()) is not None:
        try:
            work(item)
            queue.forget(item)
        except ApiError:
            queue.retry(item)
        finally:
            queue.done(item)
"""

from __future__ import annotations

import heapq
import random
import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class WorkQueue(Generic[T]):
    """A queue for any number of threads on both ends."""

    def __init__(
        self,
        *,
        rate: float = 50.0,
        burst: int = 100,
        first_delay: float = 0.1,
        longest_delay: float = 300.0,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`rate` items a second are handed out in the long run, `burst` at once. A failed item waits about
        `first_delay` seconds, then twice that and so on up to `longest_delay`."""
        self._clock = clock
        self._chance = chance
        self._first_delay = first_delay
        self._longest_delay = longest_delay
        self._bucket = _Bucket(rate, burst, clock())
        self._changed = threading.Condition()
        self._ready: dict[T, float] = {}
        """In order, with the time since when each is ready."""
        self._due: dict[T, float] = {}
        self._later: list[tuple[float, int, T]] = []
        """A heap of (when, serial, item); entries that `_due` no longer agrees with are void."""
        self._serial = 0
        self._processing: set[T] = set()
        self._again: dict[T, float] = {}
        """Asked for while being processed, with the time since when."""
        self._failures: dict[T, int] = {}
        self._is_shut_down = False
        self.adds = 0
        """How often an item became ready."""
        self.retries = 0

    def add(self, item: T) -> None:
        """As soon as possible."""
        self.add_after(item, 0)

    def add_after(self, item: T, seconds: float) -> None:
        """In so many seconds, unless it comes earlier anyway."""
        with self._changed:
            if self._is_shut_down:
                return
            now = self._clock()
            if seconds <= 0:
                self._due.pop(item, None)
                self._make_ready(item, now)
            elif item not in self._ready and item not in self._again:
                when = now + seconds
                if when < self._due.get(item, float("inf")):
                    self._due[item] = when
                    self._serial += 1
                    heapq.heappush(self._later, (when, self._serial, item))
            self._changed.notify_all()

    def retry(self, item: T) -> None:
        """After a failure: with a delay that doubles from one failure to the next. A little chance spreads items that
        failed together."""
        with self._changed:
            failures = self._failures.get(item, 0)
            self._failures[item] = failures + 1
            self.retries += 1
        delay = min(self._longest_delay, self._first_delay * 2.0 ** min(failures, 60))
        self.add_after(item, delay * (1 - self._chance() / 2))

    def forget(self, item: T) -> None:
        """It succeeded: its next failure counts as the first."""
        with self._changed:
            self._failures.pop(item, None)

    def get(self, timeout: float | None = None) -> T | None:
        """The next item, to be given back with `done`. None after `timeout` seconds, or when the queue is shut down and
        empty."""
        with self._changed:
            give_up = None if timeout is None else self._clock() + timeout
            while True:
                now = self._clock()
                self._move_due(now)
                if self._ready and (self._is_shut_down or self._bucket.take(now)):
                    item = next(iter(self._ready))
                    del self._ready[item]
                    self._processing.add(item)
                    return item
                if self._is_shut_down and not self._ready and not self._again:
                    return None
                if give_up is not None and now >= give_up:
                    return None
                self._changed.wait(self._pause(now, give_up))

    def done(self, item: T) -> None:
        """It is no longer being processed."""
        with self._changed:
            self._processing.discard(item)
            if item in self._again:
                self._ready.setdefault(item, self._again.pop(item))
            self._changed.notify_all()

    def shut_down(self, *, drain: bool = True) -> None:
        """Take nothing more. What is ready is still handed out, or dropped without `drain`; what is due later is
        dropped."""
        with self._changed:
            self._is_shut_down = True
            self._due.clear()
            self._later.clear()
            if not drain:
                self._ready.clear()
                self._again.clear()
            self._changed.notify_all()

    def wait_empty(self, timeout: float | None = None) -> bool:
        """Whether, within that time, nothing was ready and nothing being processed any more."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._ready or self._again or self._processing), timeout)

    @property
    def is_shut_down(self) -> bool:
        return self._is_shut_down

    @property
    def depth(self) -> int:
        """How many items wait to be processed now."""
        with self._changed:
            self._move_due(self._clock())
            return len(self._ready) + len(self._again)

    @property
    def oldest_seconds(self) -> float:
        """For how long the one that waits longest has been ready."""
        with self._changed:
            now = self._clock()
            self._move_due(now)
            return max(
                (now - since for waiting in (self._ready, self._again) for since in waiting.values()), default=0.0
            )

    def failures(self, item: T) -> int:
        """How often it failed in a row."""
        return self._failures.get(item, 0)

    def _make_ready(self, item: T, since: float) -> None:
        waiting = self._again if item in self._processing else self._ready
        if item not in waiting:
            waiting[item] = since
            self.adds += 1

    def _move_due(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            when, _, item = heapq.heappop(self._later)
            if self._due.get(item) == when:
                del self._due[item]
                self._make_ready(item, when)

    def _pause(self, now: float, give_up: float | None) -> float | None:
        """Until something can have changed by itself."""
        moments = [moment for moment in (give_up,) if moment is not None]
        if self._later:
            moments.append(self._later[0][0])
        if self._ready:
            moments.append(self._bucket.next_at(now))
        return max(0.0, min(moments) - now) if moments else None


class _Bucket:
    """A token bucket."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._at = now

    def take(self, now: float) -> bool:
        self._fill(now)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def next_at(self, now: float) -> float:
        """When there will be a token."""
        self._fill(now)
        return now + max(0.0, 1 - self._tokens) / self._rate

    def _fill(self, now: float) -> None:
        self._tokens = min(float(self._burst), self._tokens + (now - self._at) * self._rate)
        self._at = now
