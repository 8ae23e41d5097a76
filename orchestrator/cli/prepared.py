"""Which competitions are prepared: those with a dataset in the public store and answers in the private one."""

from __future__ import annotations

from orchestrator.controller.stores import OpenStores
from orchestrator.storage.layout import MANIFEST, answers_prefix, dataset_prefix
from orchestrator.storage.store import Store


def prepared_competitions(stores: OpenStores, version: str) -> frozenset[str]:
    """Their ids. A manifest is written last, so what has one is whole."""
    datasets = _with_manifest(stores.public, dataset_prefix(version, ""))
    return datasets & _with_manifest(stores.private, answers_prefix(version, ""))


def _with_manifest(store: Store, prefix: str) -> frozenset[str]:
    ending = f"/{MANIFEST}"
    names = (key.removeprefix(prefix) for key in store.keys(prefix) if key.endswith(ending))
    return frozenset(name.removesuffix(ending) for name in names)
