"""A store whose failures are counted; everything else is the store's own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from orchestrator.controller.stores import OpenStores
from orchestrator.storage.store import Store, StoreError


class CountedStore:
    """Stands before a store: each call goes on to it."""

    def __init__(self, store: Store, on_error: Callable[[], None]) -> None:
        self._store = store
        self._on_error = on_error

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found

        @functools.wraps(found)
        def counted(*arguments: Any, **options: Any) -> Any:
            try:
                return found(*arguments, **options)
            except StoreError:
                self._on_error()
                raise

        return counted


def count_errors(stores: OpenStores, on_error: Callable[[str], None]) -> OpenStores:
    """The same stores; `on_error` is told which of them failed."""

    def counted(name: str) -> Store:
        return cast(Store, CountedStore(getattr(stores, name), lambda: on_error(name)))

    return OpenStores(counted("public"), counted("private"), counted("runs"))
