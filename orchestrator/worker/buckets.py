"""Makes the buckets of a store that comes with the chart. Elsewhere whoever owns the store makes them."""

from __future__ import annotations

import logging

from orchestrator.storage.open import open_store
from orchestrator.storage.s3 import S3Store
from orchestrator.worker.failure import ExitCode
from orchestrator.worker.orders import BucketsOrder

log = logging.getLogger("mlectl.buckets")


def main(order: BucketsOrder) -> int:
    for url in (order.stores.public, order.stores.private, order.stores.runs):
        store = open_store(url)
        if isinstance(store, S3Store):
            store.bucket.make()
            log.info("%s is there", store.name)
    return ExitCode.DONE
