"""What is measured, in one list; `/metrics` shows it.

Names begin with `mlectl_`, times are in seconds. Labels have few values: an experiment is a label only of gauges, which
go when it goes, and a competition only of the one that shows the runs of experiments at work (`progress.py`).
"""

from __future__ import annotations

from collections import Counter as Count
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

import orchestrator
from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus, RunState
from orchestrator.cluster.kubernetes.kinds import Kind
from orchestrator.cluster.kubernetes.queue import WorkQueue
from orchestrator.controller.memory import ClockSeen, Memory
from orchestrator.controller.over_time import medal_percents
from orchestrator.controller.preparations import Preparations, waiting_for
from orchestrator.controller.progress import EXPERIMENT, progress
from orchestrator.core.failures import FAILURES
from orchestrator.core.model import AttemptKey, Outcome, RunKey, Verdict

prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]

SHORT = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
LONG = (1, 5, 15, 60, 300, 900, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 48 * 3600)


class Metrics:
    """Every series of a controller."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry

        build = Gauge("mlectl_build_info", "Always 1; the version of this controller.", ("version",), registry=registry)
        build.labels(orchestrator.__version__).set(1)
        self.leader = Gauge("mlectl_leader", "1 if this replica leads, 0 if it stands by.", registry=registry)

        self.queue_wait = Histogram(
            "mlectl_run_queue_seconds", "From an agent Job's creation to its node.", buckets=LONG, registry=registry
        )
        self.staging = Histogram(
            "mlectl_run_staging_seconds", "From a node to the agent's start.", buckets=LONG, registry=registry
        )
        self.staged_bytes = Counter(
            "mlectl_staged_bytes", "Bytes of the datasets that were laid out for agents.", registry=registry
        )
        self.agent = Histogram(
            "mlectl_run_agent_seconds", "Agent time of attempts that were judged.", buckets=LONG, registry=registry
        )
        self.grading = Histogram(
            "mlectl_run_grading_seconds", "From a grade Job's creation to its end.", buckets=LONG, registry=registry
        )
        self.attempts = Counter(
            "mlectl_attempts",
            "Attempts judged by this controller: what follows, why, and whose fault.",
            ("verdict", "reason", "fault"),
            registry=registry,
        )

        self.reconcile = Histogram(
            "mlectl_reconcile_seconds", "Duration of a reconcile.", buckets=SHORT, registry=registry
        )
        self.reconcile_errors = Counter(
            "mlectl_reconcile_errors", "Reconciles that failed, by what was at fault.", ("cause",), registry=registry
        )
        self.queue_retries = Counter(
            "mlectl_queue_retries", "Reconciles that were put back to try again.", registry=registry
        )
        self.queue_depth = Gauge("mlectl_queue_depth", "Experiments that wait to be looked at.", registry=registry)
        self.queue_age = Gauge(
            "mlectl_queue_oldest_seconds", "Wait of the one that has waited longest.", registry=registry
        )
        self.api_requests = Counter(
            "mlectl_api_requests",
            "Requests to the API server; code 0: no answer.",
            ("verb", "resource", "code"),
            registry=registry,
        )
        self.api_seconds = Histogram(
            "mlectl_api_request_seconds",
            "Time until the API server's answer began.",
            ("verb", "resource"),
            buckets=SHORT,
            registry=registry,
        )
        self.store_errors = Counter(
            "mlectl_store_errors", "Requests to a store that failed.", ("store",), registry=registry
        )
        self.preparations = Preparations(registry)
        self._begin_at_zero()
        self.experiments = Experiments()
        self.registry.register(self.experiments)

    def _begin_at_zero(self) -> None:
        """A counter that first appears as 1 has no increase: whoever waits for one would miss it."""
        for cause in ("api", "store", "defect"):
            self.reconcile_errors.labels(cause)
        for store in ("public", "private", "runs"):
            self.store_errors.labels(store)
        for verdict in Verdict:
            for reason in ("", *FAILURES):
                self.attempts.labels(verdict, reason, fault_of(reason))

    def watch_queue(self, queue: Callable[[], WorkQueue[Key] | None]) -> None:
        """Show the queue as it is whenever somebody looks; there is none while another replica leads."""
        self.queue_depth.set_function(lambda: float(found.depth) if (found := queue()) else 0.0)
        self.queue_age.set_function(lambda: found.oldest_seconds if (found := queue()) else 0.0)

    def api_request(self, verb: str, kind: Kind, status: int, seconds: float) -> None:
        """As `Api.on_request`. A watch's answer begins at once and says nothing of the server's speed."""
        self.api_requests.labels(verb, kind.plural, str(status)).inc()
        if verb != "watch":
            self.api_seconds.labels(verb, kind.plural).observe(seconds)

    def judged(self, outcome: Outcome) -> None:
        self.attempts.labels(outcome.verdict, outcome.reason or "", fault_of(outcome.reason)).inc()
        if outcome.consumed_seconds:
            self.agent.observe(outcome.consumed_seconds)

    def render(self) -> bytes:
        return prometheus_client.generate_latest(self.registry)


def fault_of(reason: str | None) -> str:
    return FAILURES[reason].fault.value if reason is not None and reason in FAILURES else ""


@dataclass(frozen=True)
class Standing:
    """How an experiment stands, as far as it is shown."""

    spec: ExperimentRunSpec
    status: ExperimentRunStatus
    consumed_seconds: float = 0.0
    oldest_clock: datetime | None = None
    oldest_snapshot: datetime | None = None
    medal_percents: Mapping[int, float] = field(default_factory=dict)
    """By hours of agent time."""

    @staticmethod
    def of(
        spec: ExperimentRunSpec,
        status: ExperimentRunStatus,
        memory: Memory,
        running: Mapping[AttemptKey, datetime | None],
    ) -> Standing:
        """`running`: the attempts whose agents run now, and since when; of one without a clock no more is known."""
        clocks, snapshots = [], []
        for key, started_at in running.items():
            clock = memory.clocks.get(key, ClockSeen(0.0, started_at, started_at))
            clocks.append(clock.written_at)
            snapshots.append(clock.unsaved_since)
        return Standing(
            spec,
            status,
            sum(consumed(memory).values()),
            min(filter(None, clocks), default=None),
            min(filter(None, snapshots), default=None),
            medal_percents(memory, spec),
        )


def consumed(memory: Memory) -> Mapping[RunKey, float]:
    """Budget that each run has used, by the newest word on it."""
    newest: dict[RunKey, tuple[int, float]] = {}
    judged = ((key, outcome.consumed_seconds) for key, outcome in memory.outcomes.items())
    for key, seconds in (*judged, *((key, clock.consumed_seconds) for key, clock in memory.clocks.items())):
        newest[key.run] = max(newest.get(key.run, (0, 0.0)), (key.attempt, seconds))
    return {run: seconds for run, (_, seconds) in newest.items()}


class Experiments(Collector):
    """Gauges of the experiments that are there; of one that is gone nothing is left."""

    def __init__(self) -> None:
        self.standings: dict[Key, Standing] = {}

    def show(self, key: Key, standing: Standing) -> None:
        self.standings[key] = standing

    def keep_only(self, keys: Iterable[Key]) -> None:
        for key in self.standings.keys() - set(keys):
            self.standings.pop(key, None)

    def collect(self) -> Iterator[Metric]:
        standings = dict(self.standings)
        runs = GaugeMetricFamily(
            "mlectl_runs",
            "Runs by state; failed ones by reason and fault.",
            labels=(*EXPERIMENT, "state", "reason", "fault"),
        )
        phases = GaugeMetricFamily("mlectl_experiments", "Experiments by phase.", labels=("phase",))
        budget = GaugeMetricFamily(
            "mlectl_consumed_budget_seconds", "Agent time used, over all runs of an experiment.", labels=EXPERIMENT
        )
        clock = GaugeMetricFamily(
            "mlectl_oldest_clock_age_seconds",
            "Since the last sign of life of the quietest running agent.",
            labels=EXPERIMENT,
        )
        snapshot = GaugeMetricFamily(
            "mlectl_oldest_snapshot_age_seconds",
            "Since the last safe snapshot of the running agent for which that is longest, or since it began.",
            labels=EXPERIMENT,
        )
        interval = GaugeMetricFamily(
            "mlectl_snapshot_interval_seconds", "Time between two snapshots, by the spec.", labels=EXPERIMENT
        )
        gpus = GaugeMetricFamily("mlectl_run_gpus", "GPUs that each agent asks for.", labels=EXPERIMENT)
        percents = GaugeMetricFamily(
            "mlectl_medal_percent_over_time",
            "Graded runs that would have a medal for what they had after so many hours of agent time.",
            labels=(*EXPERIMENT, "hours"),
        )
        limit = GaugeMetricFamily(
            "mlectl_parallelism", "Agents that may run at once; not shown where there is no limit.", labels=EXPERIMENT
        )
        for key, standing in standings.items():
            for (state, reason), number in count_runs(standing.status).items():
                runs.add_metric((*key, state, reason, fault_of(reason)), number)
            budget.add_metric(key, standing.consumed_seconds)
            if standing.spec.parallelism:
                limit.add_metric(key, standing.spec.parallelism)
            for family, oldest in ((clock, standing.oldest_clock), (snapshot, standing.oldest_snapshot)):
                if oldest is not None:
                    family.add_metric(key, (datetime.now(UTC) - oldest).total_seconds())
            interval.add_metric(key, standing.spec.snapshots.every.total_seconds())
            gpus.add_metric(key, standing.spec.resources.gpu.count)
            for hours, percent in standing.medal_percents.items():
                percents.add_metric((*key, str(hours)), percent)
        for phase, number in Count(standing.status.phase.value for standing in standings.values()).items():
            phases.add_metric((phase,), number)
        yield from (runs, phases, budget, clock, snapshot, interval, limit, gpus, percents)
        yield from progress({key: standing.status for key, standing in standings.items()})
        yield from waiting_for(standing.status for standing in standings.values())


def count_runs(status: ExperimentRunStatus) -> Mapping[tuple[str, str], int]:
    """Runs by state and reason. States are those that the status counts; only failed runs have a reason."""
    counts = status.runs
    found: Count[tuple[str, str]] = Count(
        {
            (RunState.PENDING, ""): counts.pending,
            (RunState.PREPARING, ""): counts.preparing,
            (RunState.QUEUED, ""): counts.queued,
            (RunState.RUNNING, ""): counts.running,
            (RunState.GRADING, ""): counts.grading,
            (RunState.GRADED, ""): counts.graded,
        }
    )
    failed = [row.reason or "" for row in status.results if row.state is RunState.FAILED]
    found.update((RunState.FAILED.value, reason) for reason in failed)
    if counts.failed > len(failed):  # a status has at most a thousand rows
        found[(RunState.FAILED, "")] += counts.failed - len(failed)
    return found
