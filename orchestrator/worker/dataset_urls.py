"""A dataset behind URLs that the desk hands out as staging goes along: a block of shards at a time."""

from __future__ import annotations

import re
import threading
import time
from typing import IO

from orchestrator.storage import transfer
from orchestrator.storage.dataset import DatasetError, DatasetSource
from orchestrator.storage.layout import MANIFEST, shard
from orchestrator.worker.desk_client import DeskClient, persist

BLOCK = 64
"""Shards whose URLs are asked for at once: about 16 GB of data."""
SHARD = re.compile(r"shards/([0-9]{5,7})\.tar")
FRESH_SHARE = 0.5
"""A URL is used during this share of its life, so that a long transfer can begin again where it broke."""


class DatasetUrls:
    """URLs of the files of one competition's dataset. Threads may ask at the same time."""

    def __init__(self, desk: DeskClient, competition: str, patience_seconds: float) -> None:
        self.desk = desk
        self.competition = competition
        self.patience_seconds = patience_seconds
        self.known: dict[str, tuple[str, float]] = {}
        """URL of each name, and when it is to be asked for again."""
        self.lock = threading.Lock()

    def source(self) -> DatasetSource:
        return DatasetSource(f"the dataset of {self.competition}", lambda: self.open(MANIFEST), self.open)

    def open(self, name: str) -> IO[bytes]:
        return transfer.open_url(self.url(name))

    def url(self, name: str) -> str:
        with self.lock:
            url, good_until = self.known.get(name, ("", 0.0))
            if time.monotonic() >= good_until:
                url = self._ask(name)
            return url

    def _ask(self, name: str) -> str:
        asked_at = time.monotonic()
        urls = persist(lambda: self.desk.urls(dataset=names_beside(name)), self.patience_seconds)
        good_until = asked_at + FRESH_SHARE * urls.lasts_seconds
        self.known |= {each: (url, good_until) for each, url in urls.dataset.items()}
        return urls.dataset[name]


def names_beside(name: str) -> list[str]:
    """The name and those that will be asked for next. URLs of shards that do not exist do no harm."""
    if name == MANIFEST:
        return [name]
    match = SHARD.fullmatch(name)
    if match is None:
        raise DatasetError(f"The manifest names a shard {name!r}, which no packing makes; prepare the dataset again.")
    first = int(match[1]) // BLOCK * BLOCK
    return [shard(number) for number in range(first, first + BLOCK)]
