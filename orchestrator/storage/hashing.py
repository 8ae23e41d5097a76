"""Hashing in the background, for contents so large that reading, hashing and writing shall go on at the same time.

Helper processes use this, so it imports little (see `helper.py`).
"""

from __future__ import annotations

import hashlib
import queue
import threading

AHEAD = 8


class BackgroundHash:
    """A SHA-256 that a thread of its own computes. The blocks it is given must not change."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._blocks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._room = threading.Semaphore(AHEAD)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def update(self, block: bytes) -> None:
        if block:
            self._room.acquire()
            self._blocks.put(block)

    def digest(self) -> bytes:
        """The checksum of all blocks; nothing can be added afterwards."""
        self._blocks.put(b"")
        self._thread.join()
        return self._sha256.digest()

    def _run(self) -> None:
        while block := self._blocks.get():
            self._sha256.update(block)
            self._room.release()
