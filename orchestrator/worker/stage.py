"""Lays out an agent's folders before it starts: data, task text, what an earlier attempt left, and the launcher.

On one machine the order has the URLs to fetch from; in a pod stage asks the desk for them (`desk.py`), and what it says
of its work goes where the agent can't write.
"""

from __future__ import annotations

import json
import logging
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import catalog
from orchestrator.core.failures import Reason
from orchestrator.storage import transfer
from orchestrator.storage.dataset import DatasetError, DatasetSource
from orchestrator.storage.dataset import stage as stage_dataset
from orchestrator.storage.manifest import STATE, Manifest
from orchestrator.worker.control import LAUNCHER, STAGED
from orchestrator.worker.dataset_urls import DatasetUrls
from orchestrator.worker.desk_client import DeskClient, persist, pod_nonce
from orchestrator.worker.failure import ExitCode, WorkerFailure
from orchestrator.worker.files import replace_file
from orchestrator.worker.folders import unpack_folder
from orchestrator.worker.instructions import write_instructions
from orchestrator.worker.orders import StageOrder
from orchestrator.worker.shard_cache import through_cache
from orchestrator.worker.submission import NAME

log = logging.getLogger("mlectl.stage")

DESK_SECONDS = 600.0
"""How long to wait for the desk, should it not answer."""


def main(order: StageOrder) -> int:
    staged_file = (order.private or order.control) / STAGED
    if staged_file.exists():
        return ExitCode.DONE
    for folder in (order.control, order.submission, order.code, order.logs, order.instructions.parent):
        folder.mkdir(parents=True, exist_ok=True)
    source, saved = sources(order)
    manifest = stage_data(order, source)
    restore(order, saved)
    replace_file(order.instructions, write_instructions(order))
    launcher = order.control / LAUNCHER
    replace_file(launcher, Path(__file__).with_name(LAUNCHER).read_bytes())
    launcher.chmod(0o755)
    staged = {
        "staged_at": datetime.now(UTC).isoformat(),
        "staged_bytes": manifest.total_bytes,
        "dataset_digest": manifest.digest,
    }
    replace_file(staged_file, json.dumps(staged))
    shutil.rmtree(order.data / STATE, ignore_errors=True)  # staging's own notes are nothing for an agent's eyes
    return ExitCode.DONE


def sources(order: StageOrder) -> tuple[DatasetSource, Mapping[str, str]]:
    """Where the dataset comes from, and the URLs of what an earlier attempt saved."""
    if order.desk is None:
        return DatasetSource.from_urls(order.manifest, order.shards), order.restore
    if order.private is None:
        raise WorkerFailure(Reason.STAGING, "An order with a desk needs a private folder too; name both.")
    desk = DeskClient(order.desk, "stage", pod_nonce(order.private), Reason.STAGING)
    dataset = DatasetUrls(desk, order.competition, DESK_SECONDS)
    saved = persist(lambda: desk.urls(restore=order.resume_from), DESK_SECONDS).restore
    return dataset.source(), saved


def stage_data(order: StageOrder, source: DatasetSource) -> Manifest:
    """The dataset, verified, and beside it the competition's description; the dataset's manifest."""
    try:
        with source_of(order, source) as chosen:
            manifest = stage_dataset(chosen, order.data)
    except DatasetError as error:
        raise WorkerFailure(Reason.STAGING, str(error)) from error
    description = order.data / "description.md"
    if not description.exists():
        replace_file(description, catalog.load(order.competition).description)
    log.info("%s: %d files, %d bytes", order.competition, manifest.file_count, manifest.total_bytes)
    return manifest


def source_of(order: StageOrder, source: DatasetSource) -> AbstractContextManager[DatasetSource]:
    """The source itself, or the cache before it."""
    return nullcontext(source) if order.cache is None else through_cache(source, order.cache, order.cache_bytes)


def restore(order: StageOrder, saved: Mapping[str, str]) -> None:
    """Put back what an earlier attempt left, each folder as a whole."""
    with tempfile.TemporaryDirectory(dir=order.control) as folder:
        for name, target in (("code.tar", order.code), ("logs.tar", order.logs)):
            if name in saved:
                fetched = Path(folder) / name
                transfer.get(saved[name], fetched)
                empty(target)
                try:
                    unpack_folder(fetched, target)
                except tarfile.TarError as error:
                    problem = f"{name} of the earlier attempt can't be read: {error}; start the run without resuming."
                    raise WorkerFailure(Reason.STAGING, problem) from error
                fetched.unlink()
        if NAME in saved:
            transfer.get(saved[NAME], order.submission / NAME)


def empty(folder: Path) -> None:
    """Remove what a staging that was killed has put there."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
