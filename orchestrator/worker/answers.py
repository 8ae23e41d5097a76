"""Answers of competitions in a folder of the validation service, brought there when they are first asked for."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from orchestrator.storage.dataset import DatasetSource, stage
from orchestrator.storage.layout import answers_prefix
from orchestrator.storage.store import Store

FRESH_SECONDS = 300.0
"""After that, look whether the competition was prepared anew."""


class Answers:
    """A cache; each competition is staged once, however many ask at the same time."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.looked_at: dict[Path, float] = {}
        self.locks: dict[Path, threading.Lock] = {}
        self.lock = threading.Lock()

    def of(self, competition: str, version: str) -> Path:
        """The competition's private folder; a StoreError if it can't be had."""
        target = self.folder / version / competition
        with self.lock:
            lock = self.locks.setdefault(target, threading.Lock())
        with lock:
            if time.monotonic() - self.looked_at.get(target, -FRESH_SECONDS) >= FRESH_SECONDS:
                stage(DatasetSource.from_store(self.store, answers_prefix(version, competition)), target)
                self.looked_at[target] = time.monotonic()
        return target
