"""What staging writes down in a folder: which dataset is on its way, which shards are whole, whether all is."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from orchestrator.storage.disk import flush
from orchestrator.storage.drafts import write_file
from orchestrator.storage.explain import explaining
from orchestrator.storage.manifest import STATE, DatasetError, Manifest, Shard

NOT_DATA = (STATE, "lost+found")


def staged_digest(target: Path) -> str | None:
    """The digest of the dataset that a folder holds, whole and verified; None if there is none or only a part."""
    return read_digest(target / STATE / "complete.json")


class Notes:
    """The notes of one folder, held by one staging at a time."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.folder = target / STATE
        self.lock = -1

    @classmethod
    @contextmanager
    def held(cls, target: Path) -> Iterator[Notes]:
        """The folder's notes; waits while another process stages into it. A folder of somebody else's is refused."""
        notes = cls(target)
        with explaining(f"stage into {target}"):
            target.mkdir(parents=True, exist_ok=True)
            if notes.folder.is_symlink() or (not notes.folder.is_dir() and notes.strangers()):
                raise DatasetError(
                    f"Cannot stage into {target}: it has files in it that are not of a dataset; "
                    "empty it, or choose another folder."
                )
            notes.folder.mkdir(exist_ok=True)
            notes.lock = os.open(notes.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(notes.lock, fcntl.LOCK_EX)
            yield notes
        finally:
            os.close(notes.lock)

    def strangers(self) -> list[Path]:
        """What lies in the folder besides notes."""
        return [path for path in self.target.iterdir() if path.name not in NOT_DATA]

    def begin(self, manifest: Manifest) -> bool:
        """Start on a dataset, or go on with it; whether there may be something of it already."""
        with explaining(f"stage into {self.target}"):
            begun = read_digest(self.folder / "staging.json")
            if begun == manifest.digest:
                (self.folder / "shards").mkdir(exist_ok=True)
                return True
            (self.folder / "complete.json").unlink(missing_ok=True)
            shutil.rmtree(self.folder / "shards", ignore_errors=True)
            for path in self.strangers():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            (self.folder / "shards").mkdir(exist_ok=True)
            write_digest(self.folder / "staging.json", manifest)
            return False

    def has(self, shard: Shard) -> bool:
        """Whether every file of the shard was written."""
        return self._mark(shard).exists()

    def add(self, shard: Shard) -> None:
        with explaining(f"stage into {self.target}"):
            self._mark(shard).touch()

    def remove(self, shard: Shard) -> None:
        self._mark(shard).unlink(missing_ok=True)

    def finish(self, manifest: Manifest) -> None:
        """Say that the dataset is complete, once all of it is on the disk."""
        with explaining(f"stage into {self.target}"):
            flush(self.target)
            write_digest(self.folder / "complete.json", manifest)
            shutil.rmtree(self.folder / "shards", ignore_errors=True)
            (self.folder / "staging.json").unlink(missing_ok=True)

    def _mark(self, shard: Shard) -> Path:
        return self.folder / "shards" / shard.name.replace("/", ".")


def read_digest(note: Path) -> str | None:
    """The digest in a note; None if there is no note, or none that can be read."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads(note.read_bytes())["digest"])
    return None


def write_digest(note: Path, manifest: Manifest) -> None:
    facts = {"digest": manifest.digest, "files": manifest.file_count, "bytes": manifest.total_bytes}
    write_file(note, json.dumps(facts).encode() + b"\n")
