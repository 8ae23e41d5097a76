"""Copies of the submission as the agent's time goes: score over time, and what counts if nothing better is known.

A thread of the courier's. With `keep_state` it saves code and logs too, so that a later attempt can go on from there.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

from orchestrator.storage.retry import Patience
from orchestrator.worker.clock import Clock
from orchestrator.worker.folders import pack_folder
from orchestrator.worker.journal import Journal, Snapshot
from orchestrator.worker.limits import CODE_BYTES, LOGS_BYTES
from orchestrator.worker.orders import CourierOrder
from orchestrator.worker.submission import NAME, Copied, copy_submission
from orchestrator.worker.uploads import Uploads

log = logging.getLogger("mlectl.courier")

TRIES, WAIT_SECONDS = 5, 0.3
PATIENCE = Patience(tries=3)


def snapshot_name(minutes: float) -> str:
    """Where a snapshot goes, below the attempt."""
    return f"snapshots/{minutes:g}/{NAME}"


class Snapshots(threading.Thread):
    """Takes a snapshot at every multiple of the interval, by the run's clock."""

    def __init__(self, order: CourierOrder, clock: Clock, journal: Journal, uploads: Uploads, scratch: Path) -> None:
        super().__init__(name="snapshots", daemon=True)
        self.order, self.clock, self.journal, self.uploads = order, clock, journal, uploads
        self.scratch = scratch
        self.latest = scratch / "latest.csv"
        self.stopping = threading.Event()

    def run(self) -> None:
        every = self.order.snapshot_every_seconds
        number = int(self.clock.consumed_seconds // every) + 1
        while not self.stopping.wait(max(0.0, number * every - self.clock.consumed_seconds)):
            number = max(number, int(self.clock.consumed_seconds // every))
            if number * every < self.clock.earlier_seconds + self.clock.budget_seconds:
                self.take(number * every / 60)
                number += 1
            else:
                return

    def stop(self) -> None:
        """Take no more, and wait until a running one is done."""
        self.stopping.set()
        if self.is_alive():
            self.join()

    def take(self, minutes: float) -> None:
        """Never in the way of the rest: what goes wrong is written down, and the clock tells what is safe."""
        try:
            is_saved = self._take_submission(minutes)
            if self.order.keep_state:
                is_saved &= self._save_state()
            if is_saved:
                self.clock.note_snapshot()
        except Exception as error:
            log.exception("the snapshot at minute %g failed", minutes)
            with self.journal.change() as pages:
                pages.notes.append(f"The snapshot at minute {minutes:g} failed: {error}")

    def _take_submission(self, minutes: float) -> bool:
        """Whether the submission, if there is one, is now in the store."""
        draft = self.scratch / "snapshot.csv"
        copied = self._copy_at_rest(draft)
        if copied is None:
            return True
        if copied.sha256 is None or copied.is_torn:
            return False
        if (known := self._known(copied)) is not None:
            return self._send(known, draft)
        snapshot = Snapshot(minutes, copied.sha256, copied.bytes)
        with self.journal.change() as pages:
            if pages.is_frozen or self.clock.left_seconds <= 0:
                return False  # the budget ended while we copied
            draft.replace(self.latest)
            pages.snapshots.append(snapshot)
        return self._send(snapshot, self.latest)

    def _send(self, snapshot: Snapshot, file: Path) -> bool:
        """Bring it to the store, unless it is there; whether it is."""
        name = snapshot_name(snapshot.minutes)
        if not snapshot.uploaded and name in self.uploads and self.uploads.try_put(name, file, PATIENCE):
            with self.journal.change():
                snapshot.uploaded = True
        return snapshot.uploaded

    def _copy_at_rest(self, target: Path) -> Copied | None:
        """A copy during which nobody wrote; the last one if somebody always does."""
        copied = copy_submission(self.order.submission, target)
        for _ in range(TRIES):
            if copied is None or not copied.is_torn:
                break
            time.sleep(WAIT_SECONDS)
            copied = copy_submission(self.order.submission, target)
        return copied

    def _known(self, copied: Copied) -> Snapshot | None:
        """The last snapshot, if that is what was copied."""
        last = self.journal.pages.snapshots[-1:]
        return last[0] if last and last[0].sha256 == copied.sha256 else None

    def _save_state(self) -> bool:
        """Whether all is in the store now. Code last: where code.tar is, there is something to go on from."""
        is_saved = True
        if self.latest.exists() and NAME in self.uploads:
            is_saved &= self.uploads.try_put(NAME, self.latest, PATIENCE)
        for name, folder, most in (
            ("logs.tar", self.order.logs, LOGS_BYTES),
            ("code.tar", self.order.code, CODE_BYTES),
        ):
            packed = self.scratch / f"snapshot-{name}"
            pack_folder(folder, packed, most)
            is_saved &= self.uploads.try_put(name, packed, PATIENCE)
            packed.unlink()
        return is_saved
