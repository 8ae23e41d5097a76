"""Shards of datasets, kept on a volume that the pods of a node or of a cluster share: each is fetched once.

    <digest of the shards' checksums>/     a set: the shards of one dataset
        00000.tar …    a shard, byte for byte; 00000.part while it is on its way
        00000.lock     held by whoever fetches it; the others wait, and then find it
        lock           held, shared, by every staging that uses the set; who evicts wants it alone
        size           bytes that the whole set takes, written before the first of them
        used           when it was last used
    lock               held while room is made

Only `stage` sees this volume. It unpacks shards into the pod's own folder, and each file is checked against the
manifest as it is written, whatever a shard here says: so no agent can write here or see other datasets, and a shard
that went bad is noticed and fetched again. Locks are the kernel's: they go with a process that is killed, and what it
left half done is overwritten by the next. The cache is a help and no need: whatever is wrong with it, the store is
asked instead.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import IO

from orchestrator.storage.blocks import blocks_of
from orchestrator.storage.dataset import DatasetSource, Manifest, Shard

log = logging.getLogger("mlectl.stage")

DIGEST = re.compile(r"[0-9a-f]{64}")
LEAVING = ".leaving-"
"""What the name of a set begins with while it is being removed."""
OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def through_cache(source: DatasetSource, folder: Path, limit_bytes: int) -> Iterator[DatasetSource]:
    """The same dataset, its shards from the cache where they are there and put there where they are not.

    While this goes on, nobody evicts the set. Where there is no room, or no cache, it is the source as it was.
    """
    manifest = source.manifest()
    known = KnownSource(source.where, source.open_manifest, source.open_shard, known=manifest)
    place = folder / name_of(manifest)
    held = _hold(place, sum(shard.size for shard in manifest.shards), limit_bytes)
    if held is None:
        yield known
        return
    cached = CachedShards(known, place, {shard.name: shard for shard in manifest.shards})
    try:
        yield KnownSource(source.where, source.open_manifest, cached.open, known=manifest)
    finally:
        with suppress(OSError):
            os.utime(place / "used")
        os.close(held)
    log.info("%d of %d shards were in the cache", cached.found, len(manifest.shards))


def name_of(manifest: Manifest) -> str:
    """Of a set. Not the dataset's own digest: that is the same however the files were packed."""
    return hashlib.sha256("".join(shard.sha256 for shard in manifest.shards).encode()).hexdigest()


@dataclass(frozen=True)
class KnownSource(DatasetSource):
    """A dataset whose manifest was read already: it can be large."""

    known: Manifest = field(kw_only=True)

    def manifest(self) -> Manifest:
        return self.known


@dataclass
class CachedShards:
    """The shards of one set. Threads and processes may ask at the same time."""

    source: DatasetSource
    folder: Path
    shards: dict[str, Shard]
    found: int = 0
    """How many were there."""
    given: set[str] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)

    def open(self, name: str) -> IO[bytes]:
        """A shard's bytes. Whoever asks for one a second time has found it damaged: it is fetched anew."""
        with self.lock:
            is_doubted = name in self.given
            self.given.add(name)
        try:
            return self._open(name, is_doubted=is_doubted)
        except OSError as error:
            log.warning("%s goes past the cache: %s", name, error)
            return self.source.open_shard(name)

    def _open(self, name: str, *, is_doubted: bool) -> IO[bytes]:
        shard = self.shards[name]
        place = self.folder / f"{list(self.shards).index(name):05d}.tar"
        with _locked(place.with_suffix(".lock")):
            if is_doubted:
                log.warning("%s is damaged in the cache, and fetched again", name)
                place.unlink(missing_ok=True)
            if _size(place) == shard.size:
                with self.lock:
                    self.found += 1
            elif not self._fetch(shard, place):
                return self.source.open_shard(name)
            return place.open("rb")

    def _fetch(self, shard: Shard, place: Path) -> bool:
        """Whether it is there now, whole; one that is not what the manifest says is nothing to keep."""
        draft, digest = place.with_suffix(".part"), hashlib.sha256()
        try:
            with self.source.open_shard(shard.name) as stream, draft.open("wb") as file:
                for block in blocks_of(stream):
                    digest.update(block)
                    file.write(block)
            if digest.hexdigest() != shard.sha256:
                return False
            draft.chmod(0o444)
            draft.rename(place)
            return True
        finally:
            draft.unlink(missing_ok=True)


def _hold(place: Path, needed: int, limit_bytes: int) -> int | None:
    """Hold a set, which has its room then; None if it has to do without."""
    try:
        with _locked(place.with_name("lock")):
            if not (place / "size").exists() and not make_room(place.parent, limit_bytes - needed):
                log.info("the cache has no room for %d bytes", needed)
                return None
            place.mkdir(exist_ok=True)
            held = os.open(place / "lock", OPEN, 0o644)
            fcntl.flock(held, fcntl.LOCK_SH)  # nobody evicts meanwhile: that takes the lock that is held here
            (place / "size").write_text(str(needed))
            (place / "used").touch()
            return held
    except OSError as error:
        log.warning("the cache can't be used: %s", error)
        return None


def make_room(folder: Path, most_bytes: int) -> bool:
    """Evict sets that nobody uses, least recently used first, until all take no more than so many bytes; whether they
    do. To be called with the cache's lock held."""
    for left in folder.glob(f"{LEAVING}*"):
        shutil.rmtree(left, ignore_errors=True)
    if most_bytes < 0:
        return False
    sets = [path for path in folder.iterdir() if DIGEST.fullmatch(path.name)]
    sets.sort(key=lambda path: (_last_used(path), path.name))
    taken = sum(_bytes_of(path) for path in sets)
    for path in sets:
        if taken <= most_bytes:
            break
        size = _bytes_of(path)
        if _evict(path):
            log.info("evicted %s, %d bytes", path.name, size)
            taken -= size
    return taken <= most_bytes


def _evict(place: Path) -> bool:
    """Remove a set, unless somebody uses it. It has another name first, so that no half of it is ever taken for it."""
    held = os.open(place / "lock", OPEN, 0o644)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        leaving = place.with_name(f"{LEAVING}{secrets.token_hex(8)}")
        place.rename(leaving)
        shutil.rmtree(leaving, ignore_errors=True)
        return True
    finally:
        os.close(held)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone, among threads and processes of all pods. Its file stays: one that is removed could be locked twice."""
    held = os.open(path, OPEN, 0o644)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _bytes_of(place: Path) -> int:
    """What a set takes, or will take. One that was never begun properly takes what lies in it."""
    try:
        return int((place / "size").read_text())
    except (OSError, ValueError):
        return sum(_size(path) or 0 for path in place.iterdir())


def _last_used(place: Path) -> float:
    try:
        return (place / "used").stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except OSError:
        return None
