"""A competition's raw files, from Kaggle to a folder that is there in full or not at all.

Beside the folder `raw` a hidden one, `.raw.fetch`, holds what is under way: the archive, as far as it has come, and
what is being unpacked. That is renamed to `raw` when it is complete, so that `raw` itself is the mark of completeness.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Literal

import catalog
from orchestrator.worker.kaggle.archive import Report, fetch, md5_of
from orchestrator.worker.kaggle.client import WAITS
from orchestrator.worker.kaggle.errors import BadArchive, ChecksumMismatch
from orchestrator.worker.kaggle.kept import KeptArchive
from orchestrator.worker.kaggle.unpack import flush, unpack
from orchestrator.worker.raw_files import is_fetched

Progress = Callable[[Literal["download", "verify", "keep", "unpack"], int, int | None], None]
"""Told the stage, the bytes so far and, if known, the bytes in all."""


def download(
    competition_id: str,
    raw: Path,
    *,
    progress: Progress | None = None,
    keep_zip: bool = False,
    kept: KeptArchive | None = None,
    waits: Sequence[float] = WAITS,
) -> None:
    """Bring a competition's raw files into `raw`; does nothing if they are there, goes on where an earlier call broke.

    The archive is checked against the catalog's MD5 sum, if it has one, and removed once it is unpacked; with
    `keep_zip` it stays beside `raw` as `raw.zip`. With `kept`, the download goes on from what was kept there, and
    what comes is kept. Two calls for one folder wait for each other.
    """
    if is_fetched(raw):
        return
    expected = catalog.load(competition_id).checksums.zip
    tell: Progress = progress or (lambda stage, done, total: None)
    under_way = raw.with_name(f".{raw.name}.fetch")
    with _alone(under_way):
        if not is_fetched(raw):
            archive, unpacked = under_way / "archive.zip", under_way / "unpacked"
            _fetch(competition_id, archive, kept, waits, partial(tell, "download"))
            with _forgetting_bad_ones(kept):
                if expected is not None:
                    _verify(competition_id, archive, expected, tell)
                if kept is not None:
                    tell("keep", 0, archive.stat().st_size)
                    kept.keep(archive)
                shutil.rmtree(unpacked, ignore_errors=True)
                unpack(archive, unpacked, partial(tell, "unpack"))
            flush(unpacked)
            unpacked.rename(raw)
            if keep_zip:
                archive.rename(raw.with_name(f"{raw.name}.zip"))
        # Whoever waited comes by here as well, so that the last one out leaves nothing.
        shutil.rmtree(under_way, ignore_errors=True)


def _fetch(competition_id: str, archive: Path, kept: KeptArchive | None, waits: Sequence[float], tell: Report) -> None:
    if kept is None:
        fetch(competition_id, archive, waits=waits, report=tell)
        return

    def report(done: int, total: int | None) -> None:
        tell(done, total)
        kept.grown(archive, done)

    if not archive.exists():
        kept.restore(archive, tell)
    fetch(competition_id, archive, waits=waits, report=report)


@contextmanager
def _forgetting_bad_ones(kept: KeptArchive | None) -> Iterator[None]:
    """An archive that is not what it should be is downloaded anew."""
    try:
        yield
    except (ChecksumMismatch, BadArchive):
        if kept is not None:
            kept.forget()
        raise


def _verify(competition_id: str, archive: Path, expected: str, tell: Progress) -> None:
    found = md5_of(archive, partial(tell, "verify"))
    if found != expected:
        archive.unlink()
        raise ChecksumMismatch(competition_id, found, expected)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder against other processes; they wait here until it is free."""
    with _open_lock(folder) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _open_lock(folder: Path) -> IO[str]:
    """The folder's lock file, made anew if whoever is done removes the folder at this very moment."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            return (folder / "lock").open("w")
