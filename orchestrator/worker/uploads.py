"""The attempt's places in the store: a URL for each file, signed for this attempt alone."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path

from orchestrator.core.failures import Reason
from orchestrator.storage import transfer
from orchestrator.storage.retry import Patience
from orchestrator.storage.store import StoreError
from orchestrator.worker.failure import WorkerFailure

log = logging.getLogger("mlectl.courier")

ONCE = Patience(tries=1)
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 60.0


class Uploads:
    """Puts files where they belong."""

    def __init__(self, urls: Mapping[str, str], patience_seconds: float) -> None:
        self.urls = urls
        self.patience_seconds = patience_seconds

    def __contains__(self, name: str) -> bool:
        return name in self.urls

    def try_put(self, name: str, data: bytes | Path, patience: Patience = ONCE) -> bool:
        """Send it now; False, and a line in the log, if that does not work."""
        try:
            transfer.put(self.urls[name], data, patience=patience)
        except StoreError as error:
            log.warning("%s was not sent: %s", name, error)
            return False
        return True

    def put(self, name: str, data: bytes | Path) -> None:
        """Send it, however often that must be tried. The file stays here meanwhile."""
        give_up = time.monotonic() + self.patience_seconds
        wait = FIRST_WAIT_SECONDS
        while not self.try_put(name, data):
            if time.monotonic() + wait > give_up:
                raise WorkerFailure(
                    Reason.STORE_UNAVAILABLE,
                    f"{name} could not be sent to the store for {self.patience_seconds:,.0f} seconds; "
                    "what the agent left is still on its machine. Check the store, and that its URLs have not expired.",
                    try_again=True,
                )
            log.info("trying to send %s again in %.1f s", name, wait)
            time.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)
