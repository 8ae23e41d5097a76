"""Staging a dataset: its shards, fetched in parallel, become the files of a folder, each checked as it is written.

The folder's `.mlectl` has a note for every shard that is whole, so a broken staging goes on where it stopped: what
those shards brought is hashed again, not fetched again. Last of all, once everything is on the disk, one note says that
the dataset is complete; a folder without it is not a dataset.
"""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from orchestrator.storage.blocks import blocks_of
from orchestrator.storage.explain import explaining, hint
from orchestrator.storage.helper import Helper
from orchestrator.storage.manifest import DatasetError, Manifest, Shard
from orchestrator.storage.notes import Notes, staged_digest
from orchestrator.storage.parallel import WORKERS, Meter, Progress, in_parallel, one_at_a_time
from orchestrator.storage.placing import Place
from orchestrator.storage.source import DatasetSource

TRIES = 2
"""A shard that arrives damaged is fetched once more: it may have happened on the way."""


def stage(source: DatasetSource, target: Path, *, workers: int = WORKERS, progress: Progress | None = None) -> Manifest:
    """Bring a dataset into a folder, read-only and verified; goes on with what an earlier try has left."""
    manifest = source.manifest()
    with Notes.held(target) as notes:
        if staged_digest(target) == manifest.digest:
            return manifest
        stop = threading.Event()
        stager = Stager(source, target, notes, stop, progress and one_at_a_time(progress))
        if notes.begin(manifest):
            stager.clear_halves(manifest)
        stager.check_space(manifest)
        in_parallel(stager.stage_shard, manifest.shards, workers=workers, stop=stop)
        stager.make_folders(manifest)
        notes.finish(manifest)
    return manifest


class Damaged(DatasetError):
    """What a shard brought is not what the manifest says."""


@dataclass(frozen=True)
class Stager:
    """One staging of one dataset."""

    source: DatasetSource
    target: Path
    notes: Notes
    stop: threading.Event
    progress: Progress | None

    def clear_halves(self, manifest: Manifest) -> None:
        """Remove the files of shards that were not finished: they will be written anew and their space is needed."""
        with explaining(f"stage into {self.target}"), Place(str(self.target)) as place:
            for shard in manifest.shards:
                if not self.notes.has(shard):
                    for file in shard.files():
                        place.remove(file.path)

    def check_space(self, manifest: Manifest) -> None:
        """Refuse to start on what cannot fit."""
        needed = sum(shard.content_bytes for shard in manifest.shards if not self.notes.has(shard))
        disk = os.statvfs(self.target)
        free = disk.f_bavail * disk.f_frsize
        if free < needed:
            raise DatasetError(
                f"Cannot stage {self.source.where} into {self.target}: it needs {needed / 1e9:,.2f} GB more "
                f"and the disk has {free / 1e9:,.2f} GB free; free some space there, or give it a larger disk."
            )

    def stage_shard(self, shard: Shard) -> None:
        if self.notes.has(shard) and self.is_whole(shard):
            return
        self.notes.remove(shard)
        for tries_left in reversed(range(TRIES)):
            try:
                self.unpack(shard)
                break
            except Damaged:
                if not tries_left:
                    raise
        self.notes.add(shard)

    def unpack(self, shard: Shard) -> None:
        """Have a helper turn a shard's bytes into files. It keeps the notes' lock, should it outlive us."""
        meter = Meter(self.progress, shard.content_bytes, self.stop)
        job, keep = (str(self.target), shard.job(), shard.size), (self.notes.lock,)
        with self.source.open_shard(shard.name) as stream:
            file = file_of(stream)
            with Helper("unfiling", job, stdin=file, keep=keep) as helper:
                if file is not None:
                    helper.watch(file, meter)
                else:
                    feed(helper, stream, meter)
                self.check_report(shard, helper.report())
        meter.finish()

    def check_report(self, shard: Shard, report: object) -> None:
        match report:
            case ("done",):
                return
            case ("damaged", str(what)):
                raise Damaged(f"{shard.name} of {self.source.where} is damaged: {what}; prepare the dataset again.")
            case ("failed", str(path), int(number)):
                raise DatasetError(
                    f"Cannot stage {path!r} of {shard.name} into {self.target}: "
                    f"{hint(OSError(number, os.strerror(number)))}; what is staged already is kept."
                )
        raise AssertionError(f"a helper reported {report!r}")

    def is_whole(self, shard: Shard) -> bool:
        """Whether every file that the shard brought is still there, byte for byte."""
        meter = Meter(self.progress, shard.content_bytes, self.stop)
        with Place(str(self.target)) as place:
            for file in shard.files():
                try:
                    with os.fdopen(place.open(file.path), "rb", buffering=0) as opened:
                        digest = hashlib.file_digest(opened, "sha256").digest()
                except OSError:
                    return False
                if digest != file.sha256:
                    return False
                meter.add(file.size)
        return True

    def make_folders(self, manifest: Manifest) -> None:
        with explaining(f"stage into {self.target}"), Place(str(self.target)) as place:
            for folder in manifest.folders:
                place.enter(folder)


def file_of(stream: IO[bytes]) -> int | None:
    """The file behind a stream, which a helper can read by itself; None if there is none."""
    try:
        return stream.fileno()
    except OSError:
        return None


def feed(helper: Helper, stream: IO[bytes], meter: Meter) -> None:
    """Hand a stream to a helper, until it ends or the helper has had enough."""
    for block in blocks_of(stream):
        if not helper.send(block):
            return
        meter.add(len(block))
