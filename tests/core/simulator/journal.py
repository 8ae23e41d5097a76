"""What really happened, as opposed to what the controller could see of it. The checks read this."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from orchestrator.core.model import AttemptKey, AttemptRecord, Outcome, RunKey, Start


class Problem(NamedTuple):
    """A promise that was broken."""

    check: str
    what: str


class Written(NamedTuple):
    at: float
    record: AttemptRecord


class Judged(NamedTuple):
    read_at: float
    """When the controller had read what it judged by."""
    written_at: float
    outcome: Outcome


class Worked(NamedTuple):
    """A stretch of an agent's own time."""

    start: float
    end: float


@dataclass
class Journal:
    problems: list[Problem] = field(default_factory=list)
    attempts: dict[AttemptKey, Start] = field(default_factory=dict)
    records: dict[AttemptKey, Written] = field(default_factory=dict)
    judged: dict[AttemptKey, Judged] = field(default_factory=dict)
    worked: dict[AttemptKey, list[Worked]] = field(default_factory=lambda: defaultdict(list))
    graded: dict[RunKey, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Attempts whose reports were written, in order."""
    started: list[tuple[float, Start]] = field(default_factory=list)
    wished: list[tuple[float, RunKey]] = field(default_factory=list)
    """Runs that a person asked to retry, and when."""
    reconciles: int = 0

    def complain(self, check: str, what: str) -> None:
        self.problems.append(Problem(check, what))
