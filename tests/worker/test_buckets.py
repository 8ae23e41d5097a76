"""The worker that makes buckets, on a real S3 server."""

from __future__ import annotations

import uuid

import pytest

from orchestrator.storage.open import open_store
from orchestrator.storage.store import StoreError
from orchestrator.worker.buckets import main
from orchestrator.worker.orders import BucketsOrder, Stores
from tests.s3server import OWNER, READER, S3Server


def test_buckets_are_made_once_and_those_that_are_there_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    name = uuid.uuid4().hex[:8]
    with S3Server.start() as server:
        urls = {store: server.url(f"{store}-{name}") for store in ("public", "private", "runs")}
        order = BucketsOrder(stores=Stores(**urls))
        set_keys(monkeypatch, READER.environment)
        with pytest.raises(StoreError, match=f"make the bucket s3://public-{name}.*check that these credentials may"):
            main(order)
        set_keys(monkeypatch, OWNER.environment)
        assert main(order) == 0
        kept = open_store(urls["runs"])
        kept.write("kept", b"1")
        assert main(order) == 0
        assert kept.read("kept") == b"1"
        assert {one.name for one in server.client().list_buckets()} >= {f"{store}-{name}" for store in urls}


def set_keys(monkeypatch: pytest.MonkeyPatch, keys: dict[str, str]) -> None:
    for key, value in keys.items():
        monkeypatch.setenv(key, value)
