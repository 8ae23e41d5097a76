"""The agent's clock: seconds since the courier said go, by the machine's own monotonic time.

The mark of the start is kept in a file of the courier's, so a courier that was killed and started again reads the same
time as one that was not: the agent ran on meanwhile. Nothing an agent can write is looked at. On a machine that was
started again the agent is gone, and what was counted last stands.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter

from orchestrator.worker.files import replace_file

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
FEWEST_SECONDS, MOST_SECONDS = 1.0, 15.0


@dataclass(frozen=True)
class Mark:
    """What is kept of a running clock."""

    started_at: datetime
    started_monotonic: float
    boot: str | None
    counted_seconds: float = 0.0
    """As of the last save; of a stopped clock, the final figure."""
    saved_at: float = 0.0
    snapshot_at: datetime | None = None
    """When everything that a snapshot takes was last in the store."""
    stopped_at: datetime | None = None


MARK = TypeAdapter(Mark)


class Clock:
    """Counts one attempt. `consumed_seconds` adds what earlier attempts used of the run's budget."""

    def __init__(self, path: Path, budget_seconds: float, earlier_seconds: float = 0.0) -> None:
        self.path = path
        self.budget_seconds = budget_seconds
        self.earlier_seconds = earlier_seconds
        self.lock = threading.RLock()
        self.mark: Mark | None = None
        if path.exists():
            self.mark = taken_up(MARK.validate_json(path.read_bytes()))

    def start(self) -> None:
        """Begin to count; a clock that was started before is left alone."""
        with self.lock:
            if self.mark is None:
                self.mark = Mark(datetime.now(UTC), time.monotonic(), boot_id())
                self.save()

    def stop(self) -> None:
        """Count no further."""
        with self.lock:
            if self.mark is not None and self.mark.stopped_at is None:
                self.mark = replace(self.mark, counted_seconds=self.counted_seconds, stopped_at=datetime.now(UTC))
                self.save()

    def save(self) -> None:
        with self.lock:
            if self.mark is not None:
                self.mark = replace(self.mark, counted_seconds=self.counted_seconds, saved_at=time.time())
                replace_file(self.path, MARK.dump_json(self.mark))

    def note_snapshot(self) -> None:
        """All that was there to save is in the store now."""
        with self.lock:
            if self.mark is not None:
                self.mark = replace(self.mark, snapshot_at=datetime.now(UTC))
                self.save()

    @property
    def has_started(self) -> bool:
        return self.mark is not None

    @property
    def elapsed_seconds(self) -> float:
        """Of this attempt, beyond the budget too."""
        mark = self.mark
        if mark is None:
            return 0.0
        if mark.stopped_at is not None:
            return mark.counted_seconds
        return time.monotonic() - mark.started_monotonic

    @property
    def counted_seconds(self) -> float:
        """Of this attempt, as the agent is charged: never more than its budget."""
        return min(self.elapsed_seconds, self.budget_seconds)

    @property
    def left_seconds(self) -> float:
        """Below zero once the budget's end has passed unnoticed."""
        return self.budget_seconds - self.elapsed_seconds

    @property
    def consumed_seconds(self) -> float:
        return self.earlier_seconds + self.counted_seconds

    @property
    def interval_seconds(self) -> float:
        """How often the count goes to the store: often enough to lose little, seldom enough to be no load."""
        return max(FEWEST_SECONDS, min(MOST_SECONDS, self.budget_seconds / 20))

    def published(self) -> dict[str, object]:
        """What clock.json says."""
        mark = self.mark
        times: dict[str, datetime | None] = {}
        if mark is not None:
            times = {"started_at": mark.started_at, "stopped_at": mark.stopped_at}
        if mark is not None and mark.stopped_at is None:
            times["unsaved_since"] = mark.snapshot_at or mark.started_at
        return {
            "consumed_seconds": round(self.consumed_seconds, 3),
            "earlier_seconds": self.earlier_seconds,
            "budget_seconds": self.budget_seconds,
            "written_at": datetime.now(UTC).isoformat(),
            **{name: moment.isoformat() for name, moment in times.items() if moment is not None},
        }


def taken_up(mark: Mark) -> Mark:
    """A clock that an earlier courier started, as this one goes on with it."""
    boot = boot_id()
    if mark.stopped_at is not None or (boot == mark.boot and boot is not None):
        return mark
    missed = max(0.0, time.time() - mark.saved_at) if boot == mark.boot else 0.0
    return replace(mark, started_monotonic=time.monotonic() - mark.counted_seconds - missed, boot=boot)


def boot_id() -> str | None:
    """Which start of this machine we are in; None where the system does not say."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return None
