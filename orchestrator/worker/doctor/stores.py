"""What an identity may do in each store, found by doing it, and how fast the store is."""

from __future__ import annotations

import secrets
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store, StoreError
from orchestrator.worker.orders import Stores

FOLDER = "doctor"
"""Objects below it are ours; nothing else in a store has such a key."""


def look(stores: Stores, nonce: str) -> dict[str, dict[str, str]]:
    """By store and deed: empty if it was done, else why not."""
    return {name: _try_all(getattr(stores, name), nonce) for name in ("public", "private", "runs")}


def _try_all(url: str, nonce: str) -> dict[str, str]:
    try:
        store = open_store(url)
    except StoreError as error:
        return dict.fromkeys(("read", "write"), str(error))
    key = f"{FOLDER}/{nonce}-{secrets.token_hex(4)}"
    deeds = {"read": _sentence(lambda: (store.read(key), next(store.keys(f"{key}/"), None)))}
    try:
        with _undisturbed():
            deeds["write"] = _sentence(lambda: store.write(key, b"mlectl doctor was here"))
    finally:
        with _undisturbed():
            removed = _sentence(lambda: store.delete(key))
    if not deeds["write"]:
        deeds["delete"] = removed
    return deeds


def measure(url: str, nonce: str, size: int) -> dict[str, Any]:
    """Megabytes a second up and down, over one object of that size."""
    try:
        store = open_store(url)
        key = f"{FOLDER}/{nonce}-speed-{secrets.token_hex(4)}"
        data = secrets.token_bytes(min(size, 1 << 20)) * max(1, size >> 20)
        try:
            begun = time.monotonic()
            with _undisturbed():
                store.write(key, data)
            up = time.monotonic() - begun
            begun = time.monotonic()
            fetched = _length(store, key)
            down = time.monotonic() - begun
        finally:
            with _undisturbed(), suppress(StoreError):
                store.delete(key)
    except StoreError as error:
        return {"trouble": str(error)}
    if fetched != len(data):
        return {"trouble": f"of {len(data)} bytes that were written {fetched} came back"}
    return {"up": round(len(data) / 1e6 / up, 1), "down": round(len(data) / 1e6 / down, 1), "bytes": len(data)}


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A TERM that comes inside is heard at the end: a write that is broken off may still reach the store, after what it
    wrote was removed."""
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if heard:
            signal.raise_signal(signal.SIGTERM)


def _length(store: Store, key: str) -> int:
    with store.open(key) as stream:
        return sum(len(block) for block in iter(lambda: stream.read(1 << 20), b""))


def _sentence(deed: Callable[[], object]) -> str:
    try:
        deed()
    except StoreError as error:
        return str(error)
    return ""
