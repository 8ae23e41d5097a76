"""How far a preparation is, in an object of the public store: for the status, and for nothing else.

Written now and then, so it may be a little old. A store that does not take it is no reason to stop.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress

from pydantic import TypeAdapter, ValidationError

from orchestrator.core.model import Headway
from orchestrator.storage import layout
from orchestrator.storage.store import Store, StoreError

log = logging.getLogger("mlectl.prepare")

EVERY_SECONDS = 15.0
"""Between two writes about the same step."""

HEADWAY = TypeAdapter(Headway)


class HeadwayTold:
    """Tells the store how far one preparation is; call it with a step, and bytes where they are known."""

    def __init__(
        self, store: Store, version: str, competition: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.store = store
        self.key = layout.headway(version, competition)
        self.clock = clock
        self.step = ""
        self.told_at = float("-inf")

    def __call__(self, step: str, done_bytes: int | None = None, total_bytes: int | None = None) -> None:
        now = self.clock()
        if step == self.step and now - self.told_at < EVERY_SECONDS:
            return
        self.step, self.told_at = step, now
        try:
            self.store.write(self.key, HEADWAY.dump_json(Headway(step, done_bytes, total_bytes)))
        except StoreError as error:
            log.warning("how far this is can't be told: %s", error)

    def over(self) -> None:
        """Nothing is under way any more."""
        with suppress(StoreError):
            self.store.delete(self.key)


def read_headway(data: bytes | None) -> Headway | None:
    """What was told last; None if there is nothing, or nothing that this version understands."""
    if data is None:
        return None
    try:
        return HEADWAY.validate_json(data)
    except ValidationError:
        return None
