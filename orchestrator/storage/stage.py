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

from orchestrator.storage import tarball
from orchestrator.storage.blocks import BLOCK, blocks_of
from orchestrator.storage.explain import explaining, hint
from orchestrator.storage.manifest import DatasetError, FileEntry, Manifest, Shard
from orchestrator.storage.notes import Notes, staged_digest
from orchestrator.storage.parallel import WORKERS, Progress, Stopped, in_parallel, one_at_a_time
from orchestrator.storage.placing import Place
from orchestrator.storage.prefetch import Prefetch
from orchestrator.storage.source import DatasetSource
from orchestrator.storage.unpacking import Damaged, ShardReader

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
        with explaining(f"stage into {self.target}"), Place(self.target) as place:
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
        """Turn a shard's bytes into files, refusing any byte that is not where it must be."""
        with (
            self.source.open_shard(shard.name) as stream,
            Prefetch(blocks_of(stream)) as blocks,
            Place(self.target) as place,
        ):
            reader = ShardReader(blocks, shard, self.source.where)
            for file in shard.files():
                reader.take_header(file)
                try:
                    digest = self.write(file, reader, place)
                except OSError as error:
                    raise DatasetError(
                        f"Cannot stage {file.path!r} of {shard.name} into {self.target}: {hint(error)}; "
                        "what is staged already is kept."
                    ) from error
                reader.take(tarball.padding(file.size))
                if digest != file.sha256:
                    raise reader.damaged(f"{file.path!r} does not match its checksum")
            reader.finish()

    def write(self, file: FileEntry, reader: ShardReader, place: Place) -> bytes:
        """Write a file and return its checksum."""
        self.tick(file.size)
        if file.size <= BLOCK:
            content = reader.take(file.size)
            place.write(file.path, content)
            return hashlib.sha256(content).digest()
        digest = hashlib.sha256()
        opened = place.create(file.path)
        try:
            for block in reader.take_blocks(file.size):
                digest.update(block)
                while block:
                    block = block[os.write(opened, block) :]
        finally:
            os.close(opened)
        return digest.digest()

    def is_whole(self, shard: Shard) -> bool:
        """Whether every file that the shard brought is still there, byte for byte."""
        with Place(self.target) as place:
            for file in shard.files():
                try:
                    with os.fdopen(place.open(file.path), "rb", buffering=0) as opened:
                        digest = hashlib.file_digest(opened, "sha256").digest()
                except OSError:
                    return False
                if digest != file.sha256:
                    return False
                self.tick(file.size)
        return True

    def make_folders(self, manifest: Manifest) -> None:
        with explaining(f"stage into {self.target}"), Place(self.target) as place:
            for folder in manifest.folders:
                place.enter(folder)

    def tick(self, done: int) -> None:
        if self.stop.is_set():
            raise Stopped
        if self.progress:
            self.progress(done)
