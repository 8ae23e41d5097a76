"""The attempt's places in the store: a URL for each file, signed for this attempt alone."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from orchestrator.core.failures import Reason
from orchestrator.storage import transfer
from orchestrator.storage.retry import Patience
from orchestrator.storage.store import StoreError
from orchestrator.worker.desk_client import OutOfReach
from orchestrator.worker.failure import WorkerFailure

log = logging.getLogger("mlectl.courier")

ONCE = Patience(tries=1)
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.5, 60.0


class Places(Protocol):
    """Knows the URL of each file; `UploadUrls` asks the desk for them."""

    def url(self, name: str) -> str: ...

    def forget(self, name: str) -> None:
        """The store does not take its URL any more."""
        ...

    def __contains__(self, name: str) -> bool: ...


class FixedPlaces(dict[str, str]):
    """URLs that were given once and for all."""

    def url(self, name: str) -> str:
        return self[name]

    def forget(self, name: str) -> None:
        pass


class Uploads:
    """Puts files where they belong."""

    def __init__(self, places: Places | Mapping[str, str], patience_seconds: float) -> None:
        self.places: Places = FixedPlaces(places) if isinstance(places, Mapping) else places
        self.patience_seconds = patience_seconds

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def try_put(self, name: str, data: bytes | Path, patience: Patience = ONCE) -> bool:
        """Send it now; False, and a line in the log, if that does not work."""
        try:
            transfer.put(self.places.url(name), data, patience=patience)
        except (StoreError, OutOfReach) as error:
            log.warning("%s was not sent: %s", name, error)
            if isinstance(error, transfer.UrlRefused):
                self.places.forget(name)
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
