"""A store that fails: a proxy before a real one, and a list of who wrote which report and what the store said."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from orchestrator.core.model import RunKey
from orchestrator.storage.store import Store, StoreError
from tests.storage.proxy import SERVER_ERROR, Cut, Proxy


class FaultyProxy(Proxy):
    """Forwards to a store, and can be away, slow, in error, or lose the answers to what it passed on."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.delay_seconds = 0.0
        """Before each piece that passes, either way."""

    def pump(self, source: socket.socket, sink: socket.socket, direction: str, cut: Cut) -> None:
        super().pump(Delayed(source, self), sink, direction, cut)  # type: ignore[arg-type]

    def end(self, connection: socket.socket) -> None:
        super().end(getattr(connection, "real", connection))

    def be_away(self) -> None:
        self.dies_after_up = 0
        for connection in list(self.open):
            self.end(connection)

    def be_slow(self, seconds: float) -> None:
        self.delay_seconds = seconds

    def refuse(self, connections: int) -> None:
        self.answers.extend([SERVER_ERROR] * connections)
        for connection in list(self.open):
            self.end(connection)

    def lose_answers(self, count: int) -> None:
        self.lost_answers_to_put = count

    def be_well(self) -> None:
        self.dies_after_up = float("inf")
        self.delay_seconds = 0.0
        self.lost_answers_to_put = 0
        self.answers.clear()


@dataclass(frozen=True)
class Delayed:
    """A connection from which everything comes late."""

    real: socket.socket
    proxy: FaultyProxy

    def recv(self, size: int) -> bytes:
        data = self.real.recv(size)
        time.sleep(self.proxy.delay_seconds)
        return data


@dataclass(frozen=True)
class Write:
    """A try to write a run's report."""

    attempt: int
    """Of the run, that was graded."""
    is_new: bool | None
    """Whether the store took it as the first; None: its answer did not come, so it may have."""
    replaces: bool = False
    """Whether it would have replaced a report that is there."""


class ReportLog:
    """Stands before the store of runs where graders write, and notes every try to write a report."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self.writes: dict[RunKey, list[Write]] = defaultdict(list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, key: str, data: bytes) -> None:
        if "/reports/" in key:
            self._note(data, is_new=None, replaces=True)
        self._store.write(key, data)

    def write_new(self, key: str, data: bytes) -> bool:
        if "/reports/" not in key:
            return self._store.write_new(key, data)
        try:
            is_new = self._store.write_new(key, data)
        except StoreError:
            self._note(data, is_new=None)
            raise
        self._note(data, is_new=is_new)
        return is_new

    def _note(self, data: bytes, *, is_new: bool | None, replaces: bool = False) -> None:
        report = json.loads(data)
        with self._lock:
            run = RunKey(report["competition_id"], report["seed"])
            self.writes[run].append(Write(report["attempt"], is_new, replaces))
