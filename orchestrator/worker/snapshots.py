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
        """Never in the way of the rest: what goes wrong is written down."""
        try:
            self._take_submission(minutes)
            if self.order.keep_state:
                self._save_state()
        except Exception as error:
            log.exception("the snapshot at minute %g failed", minutes)
            with self.journal.change() as pages:
                pages.notes.append(f"The snapshot at minute {minutes:g} failed: {error}")

    def _take_submission(self, minutes: float) -> None:
        draft = self.scratch / "snapshot.csv"
        copied = self._copy_at_rest(draft)
        if copied is None or copied.sha256 is None or copied.is_torn or self._is_known(copied):
            return
        snapshot = Snapshot(minutes, copied.sha256, copied.bytes)
        with self.journal.change() as pages:
            if pages.is_frozen or self.clock.left_seconds <= 0:
                return  # the budget ended while we copied
            draft.replace(self.latest)
            pages.snapshots.append(snapshot)
        name = snapshot_name(minutes)
        if name in self.uploads and self.uploads.try_put(name, self.latest, PATIENCE):
            with self.journal.change():
                snapshot.uploaded = True

    def _copy_at_rest(self, target: Path) -> Copied | None:
        """A copy during which nobody wrote; the last one if somebody always does."""
        copied = copy_submission(self.order.submission, target)
        for _ in range(TRIES):
            if copied is None or not copied.is_torn:
                break
            time.sleep(WAIT_SECONDS)
            copied = copy_submission(self.order.submission, target)
        return copied

    def _is_known(self, copied: Copied) -> bool:
        last = self.journal.pages.snapshots[-1:]
        return bool(last) and last[0].sha256 == copied.sha256

    def _save_state(self) -> None:
        """Code and logs last: code.tar in the store means that there is something to go on from."""
        if self.latest.exists() and NAME in self.uploads:
            self.uploads.try_put(NAME, self.latest, PATIENCE)
        for name, folder, most in (
            ("logs.tar", self.order.logs, LOGS_BYTES),
            ("code.tar", self.order.code, CODE_BYTES),
        ):
            packed = self.scratch / f"snapshot-{name}"
            pack_folder(folder, packed, most)
            self.uploads.try_put(name, packed, PATIENCE)
            packed.unlink()
