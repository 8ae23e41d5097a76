"""Packing a folder into a dataset: tar shards, written in parallel, and a manifest, written last.

Each byte is read once: one thread a shard reads files and hashes them, another hashes the shard and hands it to the
store. A dataset without a manifest is not there, so a pack that is killed has changed nothing that anybody reads.
"""

from __future__ import annotations

import hashlib
import io
import os
import threading
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from orchestrator.storage import layout, tarball
from orchestrator.storage.explain import hint
from orchestrator.storage.manifest import STATE, DatasetError, Manifest, Shard
from orchestrator.storage.parallel import WORKERS, Progress, Stopped, in_parallel, one_at_a_time
from orchestrator.storage.prefetch import Prefetch
from orchestrator.storage.store import Store

SHARD_BYTES = 256 << 20
SHARD_FILES = 20_000
"""More small files than this get another shard, so that several can be staged at once."""
BLOCK = 1 << 20
MOST_PIECES = 6000
ZEROS = bytes(tarball.BLOCK)
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


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
    store.upload_stream(manifest_key, cast(IO[bytes], Hashed(manifest.lines())))
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
        digests = bytearray()
        with Prefetch(self.read(plan, digests)) as blocks:
            stream = Hashed(blocks)
            self.store.upload_stream(f"{self.prefix}/{name}", cast(IO[bytes], stream))
        return Shard.of(name, stream.size, stream.sha256.hexdigest(), plan.files, bytes(digests))

    def read(self, plan: Plan, digests: bytearray) -> Generator[bytes, None, None]:
        """The bytes of a shard in blocks, noting each file's checksum on the way."""
        pieces: list[bytes] = []
        gathered = 0
        for path, size in plan.files:
            pieces.append(tarball.header(path, size))
            if size <= BLOCK:
                content = self.read_small(path, size)
                digests += hashlib.sha256(content).digest()
                pieces.append(content)
                gathered += size
            else:
                yield b"".join(pieces)
                pieces.clear()
                yield from self.read_large(path, size, digests)
            pieces.append(ZEROS[: tarball.padding(size)])
            if gathered >= BLOCK or len(pieces) >= MOST_PIECES:
                yield self.join(pieces, gathered)
                gathered = 0
        pieces.append(tarball.END)
        yield self.join(pieces, gathered)

    def join(self, pieces: list[bytes], content_bytes: int) -> bytes:
        self.tick(content_bytes)
        block = b"".join(pieces)
        pieces.clear()
        return block

    def read_small(self, path: str, size: int) -> bytes:
        try:
            file = os.open(f"{self.folder}/{path}", READ)
            try:
                content = os.read(file, size + 1)
            finally:
                os.close(file)
        except OSError as error:
            raise unreadable(path, error) from error
        if len(content) != size:
            raise changed(path)
        return content

    def read_large(self, path: str, size: int, digests: bytearray) -> Iterator[bytes]:
        digest = hashlib.sha256()
        left = size
        for block in self.read_blocks(path):
            left -= len(block)
            if left < 0:
                raise changed(path)
            digest.update(block)
            self.tick(len(block))
            yield block
        if left:
            raise changed(path)
        digests += digest.digest()

    def read_blocks(self, path: str) -> Iterator[bytes]:
        try:
            with os.fdopen(os.open(f"{self.folder}/{path}", READ), "rb", buffering=0) as file:
                while block := file.read(BLOCK):
                    yield block
        except OSError as error:
            raise unreadable(path, error) from error

    def tick(self, done: int) -> None:
        if self.stop.is_set():
            raise Stopped
        if self.progress:
            self.progress(done)


class Hashed(io.RawIOBase):
    """Blocks as a stream that hashes what is read from it."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        super().__init__()
        self.blocks = blocks
        self.rest = memoryview(b"")
        self.sha256 = hashlib.sha256()
        self.size = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """At most `size` bytes; none at the end."""
        if not self.rest:
            block = next(self.blocks, b"")
            self.sha256.update(block)
            self.size += len(block)
            if 0 <= len(block) <= size:
                return block
            self.rest = memoryview(block)
        taken = bytes(self.rest[:size] if size >= 0 else self.rest)
        self.rest = self.rest[len(taken) :]
        return taken


def changed(path: str) -> DatasetError:
    return DatasetError(f"{path!r} changed while it was being packed; wait until nothing writes to it and pack again.")


def unreadable(path: str, error: OSError) -> DatasetError:
    return DatasetError(f"Cannot pack {path!r}: {hint(error)}.")
