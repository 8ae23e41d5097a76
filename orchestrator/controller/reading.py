"""Many small reads of a store at once: the first look at an experiment may need thousands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from threading import Event
from typing import TypeVar

from orchestrator.storage.parallel import in_parallel
from orchestrator.storage.store import Store

Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(store: Store, work: Callable[[Item], Result], items: Collection[Item]) -> list[Result]:
    """What the store answers, in the order of the items; the first failure ends it."""
    workers = min(store.at_once, len(items))
    if workers <= 1:
        return [work(item) for item in items]
    return in_parallel(work, items, workers=workers, stop=Event())


def read_all(store: Store, keys: Iterable[str]) -> dict[str, bytes]:
    """The objects that are there, by key."""
    wanted = list(keys)
    found = zip(wanted, at_once(store, store.read, wanted), strict=True)
    return {key: data for key, data in found if data is not None}


def present(store: Store, keys: Iterable[str]) -> frozenset[str]:
    """Those of the keys that have an object."""
    wanted = list(keys)
    return frozenset(
        key for key, info in zip(wanted, at_once(store, store.stat, wanted), strict=True) if info is not None
    )
