"""A competition's answers for as long as a grader needs them: from a folder, or from the private store."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import catalog
from orchestrator.cli.exits import UNREACHABLE, Trouble
from orchestrator.cluster.local.home import Home
from orchestrator.storage.dataset import DatasetSource, read_manifest, stage
from orchestrator.storage.layout import answers_prefix
from orchestrator.storage.open import open_store


@contextmanager
def answers_of(home: Home, competition: str, version: str, data: Path | None = None) -> Iterator[Path]:
    """The folder of answers; below `data` (`<id>/private`, as `prepare --unpacked` leaves it) where that is given."""
    catalog.load(competition)
    if data is not None:
        folder = data / competition / "private"
        if not folder.is_dir():
            raise Trouble(
                f"There are no answers of {competition} in {data}: {folder} is not a folder. "
                f"Make it with: mlectl prepare -c {competition} --unpacked {data}",
                UNREACHABLE,
            )
        yield folder
        return
    store, prefix = open_store(home.stores.private), answers_prefix(version, competition)
    if read_manifest(store, prefix) is None:
        raise Trouble(
            f"{competition} is not prepared, so there are no answers to grade against. "
            f"Prepare it with: mlectl prepare -c {competition}{'' if version == 'v1' else f' --benchmark {version}'}",
            UNREACHABLE,
        )
    folder = Path(tempfile.mkdtemp(prefix="mlectl-answers-"))
    try:
        stage(DatasetSource.from_store(store, prefix), folder)
        yield folder
    finally:
        for path in [folder, *folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
        shutil.rmtree(folder)
