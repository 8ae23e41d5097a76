"""How often a run may ask: so many times in any minute."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable

WINDOW_SECONDS = 60.0


class RateLimit:
    """Counts by key, in a sliding window."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self.clock = clock
        self.recent: dict[Hashable, deque[float]] = {}
        self.total: dict[Hashable, int] = {}
        self.lock = threading.Lock()

    def seconds_to_wait(self, key: Hashable) -> int:
        """0, and the call is counted; or after how many whole seconds to come back, and it is not."""
        now = self.clock()
        with self.lock:
            recent = self.recent.setdefault(key, deque())
            while recent and now - recent[0] >= WINDOW_SECONDS:
                recent.popleft()
            if len(recent) >= self.per_minute:
                oldest = recent[0] if recent else now
                return max(1, math.ceil(oldest + WINDOW_SECONDS - now))
            recent.append(now)
            self.total[key] = self.total.get(key, 0) + 1
            return 0
