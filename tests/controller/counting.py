"""A store that remembers what it was asked."""

from __future__ import annotations

from collections import Counter
from typing import Any

from orchestrator.storage.store import Store, StoreError


class CountingStore:
    """Stands before a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.asked: Counter[str] = Counter()
        """By verb and the object's last name, such as `read clock.json`."""
        self.is_away = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.store, name)
        if not callable(found):
            return found

        def counted(key: str, *arguments: Any, **options: Any) -> Any:
            if self.is_away:
                raise StoreError("away")
            self.asked[f"{name} {key.rstrip('/').rpartition('/')[2]}"] += 1
            return found(key, *arguments, **options)

        return counted

    def take(self) -> dict[str, int]:
        """What was asked since the last time."""
        asked, self.asked = dict(self.asked), Counter()
        return asked
