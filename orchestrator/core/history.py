"""What was seen, sorted by run: every decision about a run reads its history and nothing else.

Made once a reconcile, in one pass over what was read, so that thousands of tasks cost little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from orchestrator.core.model import (
    AttemptKey,
    AttemptRecord,
    Experiment,
    GradedRun,
    Outcome,
    Role,
    RunKey,
    Seen,
    Task,
)

T = TypeVar("T")


@dataclass(frozen=True)
class History:
    """One run: its attempts by number, oldest first, and its report."""

    key: RunKey
    tasks: Mapping[int, Task] = field(default_factory=dict)
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)
    records: Mapping[int, AttemptRecord] = field(default_factory=dict)
    clocks: Mapping[int, float] = field(default_factory=dict)
    saved: frozenset[int] = frozenset()
    report: GradedRun | None = None
    wish: int | None = None
    """The attempt after which a person wants another one."""

    @cached_property
    def newest(self) -> int:
        """The attempt that counts; 0 before the first. An older one is never picked, whatever it leaves later."""
        reported = self.report.attempt if self.report else 0
        return max(0, reported, *self.tasks, *self.outcomes, *self.records, *self.clocks)

    @property
    def task(self) -> Task | None:
        return self.tasks.get(self.newest)

    @property
    def outcome(self) -> Outcome | None:
        """How the newest attempt was judged; None: it was not, or there is none."""
        return self.outcomes.get(self.newest)

    @property
    def result(self) -> GradedRun | None:
        """The report, if it is about the newest attempt."""
        return self.report if self.report and self.report.attempt == self.newest else None

    @property
    def is_wished_again(self) -> bool:
        """Whether a person wants another attempt after the newest one."""
        return self.wish == self.newest

    def judged(self, outcome: Outcome) -> History:
        """The same with the newest attempt judged."""
        return replace(self, outcomes={**self.outcomes, self.newest: outcome})


def gather(runs: Iterable[RunKey], experiment: Experiment, seen: Seen) -> dict[RunKey, History]:
    """The history of each run, in the order of the runs."""
    tasks: dict[RunKey, dict[int, Task]] = defaultdict(dict)
    for task in seen.tasks:
        if task.role is Role.AGENT and task.seed is not None:
            tasks[RunKey(task.competition, task.seed)][task.attempt] = task
    outcomes = _by_run(seen.outcomes)
    records = _by_run(seen.records)
    clocks = _by_run(seen.clocks)
    saved = _by_run(dict.fromkeys(seen.saved, True))
    return {
        key: History(
            key,
            tasks.get(key, {}),
            outcomes.get(key, {}),
            records.get(key, {}),
            clocks.get(key, {}),
            frozenset(saved.get(key, ())),
            seen.reports.get(key),
            experiment.retry_after.get(key),
        )
        for key in runs
    }


def _by_run(found: Mapping[AttemptKey, T]) -> dict[RunKey, dict[int, T]]:
    sorted_out: dict[RunKey, dict[int, T]] = defaultdict(dict)
    for key, value in found.items():
        sorted_out[key.run][key.attempt] = value
    return sorted_out
