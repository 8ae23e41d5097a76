"""A downloaded archive, kept in the private store from the moment it is verified until its competition is prepared.

A pod's folders go with the pod. Hours of download must not go with them because the rest ran out of memory or its node
was lost, so the next try gets the archive from here; so does the other version of the benchmark, if it comes meanwhile.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from orchestrator.storage import layout
from orchestrator.storage.store import Store

log = logging.getLogger("mlectl.prepare")


@dataclass(frozen=True)
class KeptArchive:
    """The archive of one competition."""

    store: Store
    competition: str

    @property
    def key(self) -> str:
        return layout.archive(self.competition)

    def restore(self, target: Path) -> bool:
        """Bring it back; whether there was one."""
        if self.store.stat(self.key) is None:
            return False
        self.store.download(self.key, target)
        log.info("%s: the archive of an earlier try was kept", self.competition)
        return True

    def keep(self, archive: Path) -> None:
        self.store.upload(self.key, archive)

    def forget(self) -> None:
        self.store.delete(self.key)
