"""Where a dataset comes from: a store that one may read, or URLs that were signed for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO

from orchestrator.storage import layout, transfer
from orchestrator.storage.manifest import DatasetError, Manifest, parse_manifest
from orchestrator.storage.store import Store


@dataclass(frozen=True)
class DatasetSource:
    """A dataset that can be read: its manifest, and its shards by their names in the manifest."""

    where: str
    open_manifest: Callable[[], IO[bytes]]
    open_shard: Callable[[str], IO[bytes]]

    @classmethod
    def from_store(cls, store: Store, prefix: str) -> DatasetSource:
        """The dataset below a prefix of a store."""
        key = f"{prefix}/{layout.MANIFEST}"
        return cls(f"{prefix} in {store.url}", lambda: store.open(key), lambda name: store.open(f"{prefix}/{name}"))

    @classmethod
    def from_urls(cls, manifest: str, shards: Mapping[str, str]) -> DatasetSource:
        """The dataset behind signed URLs: its manifest's, and each shard's by name."""
        where = transfer.shown(manifest)

        def open_shard(name: str) -> IO[bytes]:
            if name not in shards:
                raise DatasetError(f"There is no URL for {name} of {where}; sign URLs for all shards of the manifest.")
            return transfer.open_url(shards[name])

        return cls(where, lambda: transfer.open_url(manifest), open_shard)

    def manifest(self) -> Manifest:
        with self.open_manifest() as stream:
            return parse_manifest(stream, self.where)


def read_manifest(store: Store, prefix: str) -> Manifest | None:
    """The manifest of the dataset below a prefix; None if no dataset has been packed there."""
    if store.stat(f"{prefix}/{layout.MANIFEST}") is None:
        return None
    return DatasetSource.from_store(store, prefix).manifest()
