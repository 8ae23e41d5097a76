"""The three stores, opened."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store
from orchestrator.worker.orders import Stores


@dataclass(frozen=True)
class OpenStores:
    """Datasets, answers, and what runs left."""

    public: Store
    private: Store
    runs: Store

    @staticmethod
    def of(urls: Stores) -> OpenStores:
        return OpenStores(open_store(urls.public), open_store(urls.private), open_store(urls.runs))
