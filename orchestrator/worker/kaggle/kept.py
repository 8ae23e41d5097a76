"""An archive, kept in the private store as it comes, until its competition is prepared.

A pod's folders go with the pod. Hours of download must not go with them because a node was lost or the rest ran out of
memory, so the archive is kept in parts and the next try goes on from there. So does the other version of the benchmark,
if it comes meanwhile.

    archives/<competition>/about.json       the note that is beside the archive on disk
    archives/<competition>/<which>/NNNNN    its parts; `which` stands for that note and the size of parts

Another archive has another note and so another `which`: parts of two never mix, even if two pods are at it.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, cast

from orchestrator.storage import layout
from orchestrator.storage.blocks import BLOCK, Joined
from orchestrator.storage.store import Store
from orchestrator.worker.kaggle.errors import readable, require_room
from orchestrator.worker.kaggle.note import Note

log = logging.getLogger("mlectl.prepare")

PART_BYTES = 256 << 20
"""What a lost pod costs at most, besides what it takes to bring the rest back from the store."""


@dataclass
class KeptArchive:
    """The archive of one competition."""

    store: Store
    competition: str
    part_bytes: int = PART_BYTES
    done: int = 0
    """Parts of the download under way that are seen to."""

    def restore(self, target: Path, report: Callable[[int, int | None], None]) -> None:
        """Bring back what was kept, with its note, for the download to go on from; nothing if there is none."""
        about = self.store.read(self._about)
        note = Note.read(about or b"")
        if note.total is None:
            return
        require_room(f"the archive of {self.competition}", target.parent, note.total)
        note.write(target)
        with target.open("wb") as file:
            for number, key in enumerate(self.store.keys(f"{self._folder(note)}/")):
                if not self._append_part(file, number, key, note.total):
                    break
                self.done = number + 1
                report(file.tell(), note.total)
            size = file.tell()
        if size < note.total and (size == 0 or note.validator is None):
            target.unlink()  # nobody could tell whether the rest belongs to it
            self.done = 0
            return
        log.info("%s: %s of the archive were kept by an earlier try", self.competition, readable(size))

    def grown(self, archive: Path, size: int) -> None:
        """Keep the parts that are complete, now that so many bytes are there.

        Only if the server has said what the next try needs to tell whether it is still the same archive.
        """
        complete = size // self.part_bytes
        if complete > self.done:
            note = Note.beside(archive)
            if note.validator is not None and note.total is not None:
                self._keep(archive, note, range(self.done, complete))
        self.done = complete

    def keep(self, archive: Path) -> None:
        """Keep what is missing of an archive that is whole."""
        size = archive.stat().st_size
        self._keep(archive, replace(Note.beside(archive), total=size), range(-(-size // self.part_bytes)))

    def forget(self) -> None:
        for key in list(self.store.keys(f"{layout.archive_prefix(self.competition)}/")):
            self.store.delete(key)

    @property
    def _about(self) -> str:
        return f"{layout.archive_prefix(self.competition)}/{layout.ARCHIVE_NOTE}"

    def _folder(self, note: Note) -> str:
        which = hashlib.sha256(note.as_bytes() + str(self.part_bytes).encode()).hexdigest()[:16]
        return f"{layout.archive_prefix(self.competition)}/{which}"

    def _keep(self, archive: Path, note: Note, numbers: Iterable[int]) -> None:
        if self.store.read(self._about) != note.as_bytes():
            self.forget()
            self.store.write(self._about, note.as_bytes())
        with archive.open("rb") as file:
            for number in numbers:
                key = f"{self._folder(note)}/{layout.archive_part(number)}"
                if self.store.stat(key) is None:
                    file.seek(number * self.part_bytes)
                    self.store.upload_stream(key, cast(IO[bytes], Joined(_blocks_of(file, self.part_bytes))))

    def _append_part(self, file: IO[bytes], number: int, key: str, total: int) -> bool:
        """Append the part of that number, if that is what the key names and it has the size it must have."""
        start, end = number * self.part_bytes, min((number + 1) * self.part_bytes, total)
        if not key.endswith(f"/{layout.archive_part(number)}"):
            return False
        with self.store.open(key) as part:
            shutil.copyfileobj(part, file, BLOCK)
        if file.tell() == end:
            return True
        file.truncate(start)
        file.seek(start)
        return False


def _blocks_of(file: IO[bytes], size: int) -> Iterator[bytes]:
    """The next so many bytes of a file."""
    while size > 0 and (block := file.read(min(BLOCK, size))):
        size -= len(block)
        yield block
