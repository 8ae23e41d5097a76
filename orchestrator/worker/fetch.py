"""A competition's raw files: from its own package if that brings them, else from Kaggle."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name

from catalog import Competition
from orchestrator.core.failures import Reason
from orchestrator.worker.failure import WorkerFailure


def fetch(competition: Competition, raw: Path) -> None:
    """Bring the raw files into `raw`, all or none; does nothing if somebody has put files there."""
    if raw.is_dir() and any(raw.iterdir()):
        return
    if competition.fetch is not None:
        fetch_from_package(competition.id, resolve_name(competition.fetch), raw)
        return
    from orchestrator.worker import kaggle

    try:
        kaggle.download(competition.id, raw)
    except kaggle.KaggleError as error:
        raise WorkerFailure(Reason.DATASET_UNAVAILABLE, str(error), try_again=error.try_again) from error


def fetch_from_package(competition: str, write_raw: Callable[[Path], None], raw: Path) -> None:
    """Let the package write beside the place, and put that into place when it is done."""
    draft = raw.with_name(f".{raw.name}.fetching")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        write_raw(draft)
    except Exception as error:
        problem = f"The package of {competition} could not bring its raw files: {type(error).__name__}: {error}"
        raise WorkerFailure(Reason.DATASET_UNAVAILABLE, problem) from error
    if raw.exists():
        raw.rmdir()
    draft.rename(raw)
