"""A competition's raw files: from its own package if that brings them, else from Kaggle."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from catalog import Competition
from orchestrator.core.failures import Reason
from orchestrator.worker.failure import WorkerFailure
from orchestrator.worker.raw_files import is_fetched

if TYPE_CHECKING:
    from orchestrator.worker.kaggle.kept import KeptArchive


def fetch(
    competition: Competition,
    raw: Path,
    *,
    kept: KeptArchive | None = None,
    tell: Callable[[str, int | None, int | None], None] | None = None,
) -> None:
    """Bring the raw files into `raw`, all or none; does nothing if somebody has put files there.

    The first thing that Kaggle is asked is whether this account may: a refusal comes before the first byte.
    """
    if is_fetched(raw):
        return
    if competition.fetch is not None:
        fetch_from_package(competition.id, resolve_name(competition.fetch), raw)
        return
    from orchestrator.worker import kaggle

    try:
        kaggle.download(competition.id, raw, kept=kept, progress=tell)
    except kaggle.KaggleError as error:
        raise WorkerFailure(Reason.DATASET_UNAVAILABLE, str(error), try_again=error.try_again) from error


def fetch_from_package(competition: str, write_raw: Callable[[Path], None], raw: Path) -> None:
    """Let the package write beside the place, and put that into place when it is done."""
    draft = raw.with_name(f".{raw.name}.fetching")
    raw.parent.mkdir(parents=True, exist_ok=True)
    with alone(raw.with_name(f".{raw.name}.lock")):
        if is_fetched(raw):
            return
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        try:
            write_raw(draft)
        except Exception as error:
            problem = f"The package of {competition} could not bring its raw files: {type(error).__name__}: {error}"
            raise WorkerFailure(Reason.DATASET_UNAVAILABLE, problem) from error
        if raw.exists():
            raw.rmdir()
        draft.rename(raw)


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Hold a lock against other processes, which wait. Its file stays: one that is removed could be locked twice."""
    opened = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
