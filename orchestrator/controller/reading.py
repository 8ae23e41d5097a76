"""Many small reads of a store at once: the first look at an experiment may need thousands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from threading import Event
from typing import TypeVar

from orchestrator.storage.parallel import in_parallel
from orchestrator.storage.store import Store

AT_ONCE = 16
"""As many as a store keeps connections for."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(work: Callable[[Item], Result], items: Collection[Item]) -> list[Result]:
    """The results in the order of the items; the first failure ends it."""
    if len(items) <= 1:
        return [work(item) for item in items]
    return in_parallel(work, items, workers=min(AT_ONCE, len(items)), stop=Event())


def read_all(store: Store, keys: Iterable[str]) -> dict[str, bytes]:
    """The objects that are there, by key."""
    wanted = list(keys)
    found = zip(wanted, at_once(store.read, wanted), strict=True)
    return {key: data for key, data in found if data is not None}


def present(store: Store, keys: Iterable[str]) -> frozenset[str]:
    """Those of the keys that have an object."""
    wanted = list(keys)
    return frozenset(key for key, info in zip(wanted, at_once(store.stat, wanted), strict=True) if info is not None)
