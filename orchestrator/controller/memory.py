"""What a controller remembers of an experiment's store. It is no state of its own: forgetting it costs reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from orchestrator.controller.looks import Looks
from orchestrator.core.model import AttemptKey, AttemptRecord, GradedRun, Headway, Outcome, RunKey, Verdict
from orchestrator.worker.record import read_clock


@dataclass(frozen=True)
class ClockSeen:
    """An attempt's clock.json as it was last read."""

    consumed_seconds: float
    written_at: datetime | None = None
    unsaved_since: datetime | None = None
    """When its last snapshot was safe, or the agent began; None: the courier does not tell."""
    staged_bytes: int | None = None
    """The size of its dataset."""

    @staticmethod
    def read(data: bytes) -> ClockSeen:
        told = json.loads(data)
        written_at, unsaved_since = (
            datetime.fromisoformat(told[name]) if told.get(name) else None for name in ("written_at", "unsaved_since")
        )
        return ClockSeen(read_clock(data), written_at, unsaved_since, told.get("staged_bytes"))


@dataclass(frozen=True)
class Published:
    """The experiment's report, as far as it tells whether it is still true."""

    digest: str | None
    url: str


@dataclass
class Memory:
    """Of one experiment."""

    attempts: set[AttemptKey] = field(default_factory=set)
    """Every attempt that left something in the store or whose task was seen."""
    outcomes: dict[AttemptKey, Outcome] = field(default_factory=dict)
    reports: dict[RunKey, GradedRun] = field(default_factory=dict)
    prepared: set[str] = field(default_factory=set)
    headway: dict[str, Headway] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    records: dict[AttemptKey, AttemptRecord] = field(default_factory=dict)
    clocks: dict[AttemptKey, ClockSeen] = field(default_factory=dict)
    heard: dict[AttemptKey, datetime] = field(default_factory=dict)
    """When each of these clocks was last known to be written."""
    saved: set[AttemptKey] = field(default_factory=set)
    published: Published | None = None
    is_published_known: bool = False
    looks: Looks = field(default_factory=Looks)
    noted: int = 0
    """How many of the facts are in the notes."""

    @property
    def facts(self) -> int:
        """How much is known that stays true."""
        return len(self.outcomes) + len(self.reports)

    @property
    def open_attempts(self) -> set[AttemptKey]:
        return self.attempts - self.outcomes.keys()

    def newest(self) -> dict[RunKey, int]:
        """The number of each run's last attempt."""
        found: dict[RunKey, int] = {}
        for key in self.attempts:
            found[key.run] = max(key.attempt, found.get(key.run, 0))
        return found

    def saw_clock(self, key: AttemptKey, clock: ClockSeen, now: datetime) -> None:
        """One that has moved between two looks was written just now, whatever its machine takes the time to be. Of the
        first that is seen nothing but its own word is known."""
        before = self.clocks.get(key)
        if before is None and clock.written_at is not None:
            self.heard[key] = min(clock.written_at, now)
        elif before is not None and before.written_at != clock.written_at:
            self.heard[key] = now
        self.clocks[key] = clock

    def judged(self, key: AttemptKey, outcome: Outcome, now: float) -> None:
        """The outcome was written just now: it has all that still matters, and no grader has begun before it."""
        self.outcomes[key] = outcome
        for told in (self.records, self.clocks, self.heard):
            told.pop(key, None)
        self.saved.discard(key)
        self.looks.forget(key)
        if outcome.verdict is Verdict.GRADE:
            self.looks.note(("report", key.run), frozenset(), now)
