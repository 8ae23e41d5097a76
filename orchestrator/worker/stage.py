"""Lays out an agent's folders before it starts: data, task text, what an earlier attempt left, and the launcher."""

from __future__ import annotations

import json
import logging
import shutil
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import catalog
from orchestrator.core.failures import Reason
from orchestrator.storage import transfer
from orchestrator.storage.dataset import DatasetError, DatasetSource, stage
from orchestrator.storage.manifest import STATE
from orchestrator.worker.control import LAUNCHER, STAGED
from orchestrator.worker.failure import ExitCode, WorkerFailure
from orchestrator.worker.files import replace_file
from orchestrator.worker.folders import unpack_folder
from orchestrator.worker.instructions import write_instructions
from orchestrator.worker.orders import StageOrder
from orchestrator.worker.submission import NAME

log = logging.getLogger("mlectl.stage")


def main(order: StageOrder) -> int:
    if (order.control / STAGED).exists():
        return ExitCode.DONE
    for folder in (order.control, order.submission, order.code, order.logs, order.instructions.parent):
        folder.mkdir(parents=True, exist_ok=True)
    digest = stage_data(order)
    restore(order)
    replace_file(order.instructions, write_instructions(order))
    launcher = order.control / LAUNCHER
    replace_file(launcher, Path(__file__).with_name(LAUNCHER).read_bytes())
    launcher.chmod(0o755)
    staged = {"staged_at": datetime.now(UTC).isoformat(), "dataset_digest": digest}
    replace_file(order.control / STAGED, json.dumps(staged))
    shutil.rmtree(order.data / STATE, ignore_errors=True)  # staging's own notes are nothing for an agent's eyes
    return ExitCode.DONE


def stage_data(order: StageOrder) -> str:
    """The dataset, verified, and beside it the competition's description; the dataset's digest."""
    try:
        manifest = stage(DatasetSource.from_urls(order.manifest, order.shards), order.data)
    except DatasetError as error:
        raise WorkerFailure(Reason.STAGING, str(error)) from error
    description = order.data / "description.md"
    if not description.exists():
        replace_file(description, catalog.load(order.competition).description)
    log.info("%s: %d files, %d bytes", order.competition, manifest.file_count, manifest.total_bytes)
    return manifest.digest


def restore(order: StageOrder) -> None:
    """Put back what an earlier attempt left, each folder as a whole."""
    with tempfile.TemporaryDirectory(dir=order.control) as folder:
        for name, target in (("code.tar", order.code), ("logs.tar", order.logs)):
            if name in order.restore:
                fetched = Path(folder) / name
                transfer.get(order.restore[name], fetched)
                empty(target)
                try:
                    unpack_folder(fetched, target)
                except tarfile.TarError as error:
                    problem = f"{name} of the earlier attempt can't be read: {error}; start the run without resuming."
                    raise WorkerFailure(Reason.STAGING, problem) from error
                fetched.unlink()
        if NAME in order.restore:
            transfer.get(order.restore[NAME], order.submission / NAME)


def empty(folder: Path) -> None:
    """Remove what a staging that was killed has put there."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
