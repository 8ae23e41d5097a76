"""What is measured of preparing datasets. Many experiments may wait for one, so each is counted once, whoever asks."""

from __future__ import annotations

import threading
from collections import Counter as Count
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric

from orchestrator.api.types import DatasetRow, ExperimentRunStatus
from orchestrator.core.model import Role, Task, TaskPhase

STATES = ("Waiting", "Preparing", "Unavailable")
RESULTS = ("succeeded", "failed", "refused")
HOURS = (60, 300, 900, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 16 * 3600, 48 * 3600)


class Preparations:
    """Counts prepare tasks as they end. What ended before this controller began is not counted."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.ended = Counter(
            "mlectl_prepare_tries",
            "Tries to prepare a dataset that ended; refused: trying again is no use until somebody acts.",
            ("result",),
            registry=registry,
        )
        self.seconds = Histogram(
            "mlectl_prepare_seconds",
            "From a prepare Job's creation to its end, of those that succeeded.",
            buckets=HOURS,
            registry=registry,
        )
        for result in RESULTS:
            self.ended.labels(result)
        self._going: set[str] = set()
        self._lock = threading.Lock()

    def look(self, tasks: Iterable[Task]) -> None:
        """Tasks as one experiment sees them; others may see the same ones."""
        for task in tasks:
            if task.role is Role.PREPARE and self._has_just_ended(task):
                self._count(task)

    def _has_just_ended(self, task: Task) -> bool:
        with self._lock:
            if not task.phase.is_final:
                self._going.add(task.name)
                return False
            was_going = task.name in self._going
            self._going.discard(task.name)
            return was_going

    def _count(self, task: Task) -> None:
        if task.phase is TaskPhase.SUCCEEDED:
            self.ended.labels("succeeded").inc()
            if task.finished_at is not None:
                self.seconds.observe((task.finished_at - task.created_at).total_seconds())
        else:
            self.ended.labels("failed" if task.try_again else "refused").inc()


def waiting_for(statuses: Iterable[ExperimentRunStatus]) -> Iterator[Metric]:
    """Gauges of the datasets that experiments at work wait for."""
    found: dict[str, DatasetRow] = {}
    for status in statuses:
        if not status.phase.is_finished:
            for row in status.datasets:
                if row.competition not in found or row.state == "Preparing":
                    found[row.competition] = row
    states: Count[str] = Count(row.state for row in found.values())
    datasets = GaugeMetricFamily(
        "mlectl_prepare_datasets", "Datasets that experiments at work wait for, each once.", labels=("state",)
    )
    for state in STATES:
        datasets.add_metric((state,), states[state])
    size = GaugeMetricFamily(
        "mlectl_prepare_bytes",
        "Bytes of the steps that preparations are at, such as downloads: done, and in all.",
        labels=("kind",),
    )
    known = [row for row in found.values() if row.done_bytes is not None and row.total_bytes is not None]
    size.add_metric(("done",), sum(row.done_bytes or 0 for row in known))
    size.add_metric(("total",), sum(row.total_bytes or 0 for row in known))
    yield from (datasets, size)
