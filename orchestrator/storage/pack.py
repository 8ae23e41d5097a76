"""Packing a folder into a dataset: tar shards, written in parallel, and a manifest, written last.

Each byte is read once: a helper process reads a shard's files, hashes them and the shard, and writes it, to the file
store's disk itself or through us to another store. A dataset without a manifest is not there, so a pack that is killed
has changed nothing that anybody reads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from orchestrator.storage import layout, tarball
from orchestrator.storage.blocks import Joined, blocks_of
from orchestrator.storage.explain import hint
from orchestrator.storage.filesystem import FileStore
from orchestrator.storage.helper import Helper
from orchestrator.storage.manifest import STATE, DatasetError, Manifest, Shard
from orchestrator.storage.parallel import WORKERS, Meter, Progress, in_parallel, one_at_a_time
from orchestrator.storage.store import Store

SHARD_BYTES = 256 << 20
SHARD_FILES = 5000
"""More small files than this get another shard, so that several can be worked on at once."""


@dataclass
class Plan:
    """What goes into one shard."""

    number: int
    size: int = len(tarball.END)
    files: list[tuple[str, int]] = field(default_factory=list)


def pack(
    folder: Path, store: Store, prefix: str, *, workers: int = WORKERS, progress: Progress | None = None
) -> Manifest:
    """Pack everything in a folder into the store below the prefix. The same files always give the same bytes."""
    manifest_key = f"{prefix}/{layout.MANIFEST}"
    store.delete(manifest_key)
    empty_folders: list[str] = []
    stop = threading.Event()
    packer = Packer(folder, store, prefix, stop, progress and one_at_a_time(progress))
    shards = in_parallel(packer.pack_shard, plan_shards(folder, empty_folders), workers=workers, stop=stop)
    manifest = Manifest(tuple(shards), tuple(empty_folders))
    remove_other_shards(store, prefix, manifest)
    store.upload_stream(manifest_key, cast(IO[bytes], Joined(manifest.lines())))
    return manifest


def remove_other_shards(store: Store, prefix: str, manifest: Manifest) -> None:
    """Delete what an earlier and longer dataset of this name has left."""
    wanted = {f"{prefix}/{shard.name}" for shard in manifest.shards}
    for key in list(store.keys(f"{prefix}/shards/")):
        if key not in wanted:
            store.delete(key)


def plan_shards(folder: Path, empty_folders: list[str]) -> Iterator[Plan]:
    """The files in shards of about 256 MB, none of them split; one that is as large has a shard of its own."""
    plan = Plan(0)
    for path, size in walk(folder, empty_folders):
        needed = tarball.member_size(path, size)
        if plan.files and (plan.size + needed > SHARD_BYTES or len(plan.files) >= SHARD_FILES):
            yield plan
            plan = Plan(plan.number + 1)
        plan.files.append((path, size))
        plan.size += needed
    if plan.files:
        yield plan


def walk(folder: Path, empty_folders: list[str], below: str = "") -> Iterator[tuple[str, int]]:
    """Path and size of every file, folder by folder and in order; empty folders are added to the list."""
    try:
        with os.scandir(folder / below) as found:
            entries = sorted(found, key=name_in_bytes)
    except OSError as error:
        raise DatasetError(f"Cannot pack {folder / below}: {hint(error)}.") from error
    if below and not entries:
        empty_folders.append(below)
    for entry in entries:
        path = f"{below}/{entry.name}" if below else entry.name
        if path == STATE:
            raise DatasetError(f"Cannot pack {folder / path}: this name is kept for staging; rename it.")
        if entry.is_file(follow_symlinks=False):
            yield path, entry.stat(follow_symlinks=False).st_size
        elif entry.is_dir(follow_symlinks=False):
            yield from walk(folder, empty_folders, path)
        else:
            kind = "a symbolic link" if entry.is_symlink() else "neither a file nor a folder"
            raise DatasetError(
                f"Cannot pack {folder / path}: it is {kind}, and datasets hold plain files and folders; copy the file."
            )


def name_in_bytes(entry: os.DirEntry[str]) -> bytes:
    return entry.name.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class Packer:
    """One packing of one folder."""

    folder: Path
    store: Store
    prefix: str
    stop: threading.Event
    progress: Progress | None

    def pack_shard(self, plan: Plan) -> Shard:
        name = layout.shard(plan.number)
        key, job = f"{self.prefix}/{name}", (str(self.folder), plan.files)
        meter = Meter(self.progress, sum(size for _, size in plan.files), self.stop)
        if isinstance(self.store, FileStore):
            with self.store.draft(key) as draft, Helper("filing", job, stdout=draft.file) as helper:
                helper.watch(draft.file, meter, writes=True)
                digests, draft.size, sha256 = outcome(helper)
                meter.finish()
                draft.replace()
            return Shard.of(name, draft.size, sha256, plan.files, digests)
        with Helper("filing", job) as helper:
            piped = Piped(helper, meter)
            size = self.store.upload_stream(key, cast(IO[bytes], Joined(piped.blocks())))
        return Shard.of(name, size, piped.sha256, plan.files, piped.digests)


class Piped:
    """A shard that a helper hands to us, for a store that cannot let the helper write by itself."""

    def __init__(self, helper: Helper, meter: Meter) -> None:
        self.helper, self.meter = helper, meter
        self.digests, self.sha256 = b"", ""

    def blocks(self) -> Iterator[bytes]:
        """The shard's bytes. Where some are missing they end with an error, so that no store takes them for all."""
        for block in blocks_of(self.helper.out):
            self.meter.add(len(block))
            yield block
        self.digests, _, self.sha256 = outcome(self.helper)
        self.meter.finish()


def outcome(helper: Helper) -> tuple[bytes, int, str]:
    """The checksums of a shard's files, its size and its own checksum."""
    match helper.report():
        case ("done", bytes(digests), int(size), bytes(sha256)):
            return digests, size, sha256.hex()
        case ("changed", str(path)):
            raise DatasetError(
                f"{path!r} changed while it was being packed; wait until nothing writes to it and pack again."
            )
        case ("failed", str(path), int(number)):
            raise DatasetError(f"Cannot pack {path!r}: {hint(OSError(number, os.strerror(number)))}.")
        case other:
            raise AssertionError(f"a helper reported {other!r}")
