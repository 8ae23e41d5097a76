"""An object store in memory: writes are atomic, and read by everyone at once, but for the times when it is out."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from orchestrator.core.model import AttemptKey, AttemptRecord, GradedRun, Outcome, RunKey


class StoreOut(Exception):
    """The store can't be reached."""


@dataclass
class FakeStore:
    is_out: bool = False
    prepared: set[str] = field(default_factory=set)
    records: dict[AttemptKey, AttemptRecord] = field(default_factory=dict)
    outcomes: dict[AttemptKey, Outcome] = field(default_factory=dict)
    clocks: dict[AttemptKey, float] = field(default_factory=dict)
    heard: dict[AttemptKey, datetime] = field(default_factory=dict)
    """When each clock was written last."""
    saved: dict[AttemptKey, float] = field(default_factory=dict)
    """The work in the folders of an attempt."""
    reports: dict[RunKey, GradedRun] = field(default_factory=dict)
    published: str | None = None

    def must_answer(self) -> None:
        if self.is_out:
            raise StoreOut

    def write_outcome(self, key: AttemptKey, outcome: Outcome) -> bool:
        """Only if there is none; False if there is another."""
        self.must_answer()
        return self.outcomes.setdefault(key, outcome) == outcome
