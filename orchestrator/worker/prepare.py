"""Prepares a competition: raw files, then public and private halves, then both into their stores.

The answers go first and the public dataset's manifest is written last of all, so a dataset that is there can be graded.
Killed anywhere, the next try goes on with the raw files it finds, or with what was kept of their archive, and does the
rest again. How far it is it tells the public store as it goes (`headway.py`).
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import catalog
from orchestrator.core.failures import Reason
from orchestrator.storage.dataset import pack
from orchestrator.storage.layout import MANIFEST, answers_prefix, dataset_prefix
from orchestrator.storage.open import open_store
from orchestrator.storage.store import Store
from orchestrator.worker.failure import ExitCode, WorkerFailure
from orchestrator.worker.fetch import fetch
from orchestrator.worker.headway import HeadwayTold
from orchestrator.worker.orders import PrepareOrder
from orchestrator.worker.rules_ahead import ask_ahead
from preparers import PreparationError, prepare

if TYPE_CHECKING:
    from orchestrator.worker.kaggle.kept import KeptArchive

log = logging.getLogger("mlectl.prepare")


def main(order: PrepareOrder) -> int:
    public, private = open_store(order.stores.public), open_store(order.stores.private)
    if is_prepared(order, public, private):
        log.info("%s %s is prepared already", order.competition, order.version)
        return ExitCode.DONE
    ask_ahead(order.ahead, public)
    told = HeadwayTold(public, order.version, order.competition)
    kept = kept_archive(order, private)
    try:
        fetch(catalog.load(order.competition), order.raw, kept=kept, tell=told)
        told("prepare")
        halves = prepare_halves(order)
        if not is_prepared(order, public, private):  # somebody else may have been quicker
            pack_halves(order, halves, public, private, told)
    except (catalog.CatalogError, PreparationError) as error:
        raise WorkerFailure(Reason.DATASET_UNAVAILABLE, str(error)) from error
    finally:
        told.over()
    if kept is not None:
        kept.forget()
    shutil.rmtree(halves)
    return ExitCode.DONE


def kept_archive(order: PrepareOrder, private: Store) -> KeptArchive | None:
    if not order.keep_archive:
        return None
    from orchestrator.worker.kaggle.kept import KeptArchive

    return KeptArchive(private, order.competition)


def pack_halves(order: PrepareOrder, halves: Path, public: Store, private: Store, told: HeadwayTold) -> None:
    total = sum(path.stat().st_size for path in halves.rglob("*") if path.is_file())
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        told("pack", done, total)

    told("pack", 0, total)
    pack(halves / "private", private, answers_prefix(order.version, order.competition), progress=progress)
    manifest = pack(halves / "public", public, dataset_prefix(order.version, order.competition), progress=progress)
    log.info("%s %s: %d files, digest %s", order.competition, order.version, manifest.file_count, manifest.digest)


def is_prepared(order: PrepareOrder, public: Store, private: Store) -> bool:
    """Whether both halves are there."""
    return (
        public.stat(f"{dataset_prefix(order.version, order.competition)}/{MANIFEST}") is not None
        and private.stat(f"{answers_prefix(order.version, order.competition)}/{MANIFEST}") is not None
    )


def prepare_halves(order: PrepareOrder) -> Path:
    """Folders `public` and `private`, in scratch."""
    halves = order.scratch / f"{order.competition}-{order.version}"
    shutil.rmtree(halves, ignore_errors=True)
    halves.mkdir(parents=True)
    prepare(order.competition, order.raw, halves / "public", halves / "private", order.version)
    return halves
