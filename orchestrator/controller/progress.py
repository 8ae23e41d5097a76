"""Gauges of how far each experiment is and what has come out, from its status. `metrics.py` has the rest.

One of them has a series a run: the state in which it is. It is shown only while its experiment goes on, and a status
has at most a thousand runs, so what it costs is bounded by the work at hand and not by all that was ever done.
"""

from __future__ import annotations

from collections import Counter as Count
from collections.abc import Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily, Metric

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunStatus, RunState

EXPERIMENT = ("namespace", "experiment")

STATES = {state: number for number, state in enumerate(RunState)}
"""The number that stands for a state: a run has one series and not one for each state."""

MEDALS = ("gold", "silver", "bronze")


def progress(statuses: Mapping[Key, ExperimentRunStatus]) -> Iterator[Metric]:
    phase = GaugeMetricFamily(
        "mlectl_experiment_phase", "Always 1; the phase of an experiment.", labels=(*EXPERIMENT, "phase")
    )
    started = GaugeMetricFamily(
        "mlectl_experiment_started_timestamp_seconds", "When its first task started.", labels=EXPERIMENT
    )
    medals = GaugeMetricFamily("mlectl_medals", "Runs that have this medal.", labels=(*EXPERIMENT, "medal"))
    percent = GaugeMetricFamily(
        "mlectl_any_medal_percent",
        "Competitions with a medal over complete seeds: mean, low95 and high95.",
        labels=(*EXPERIMENT, "split", "figure"),
    )
    states = ", ".join(f"{number} {state}" for state, number in STATES.items())
    state = GaugeMetricFamily(
        "mlectl_run_state",
        f"State of each run while its experiment goes on: {states}.",
        labels=(*EXPERIMENT, "competition", "seed"),
    )
    for key, status in statuses.items():
        phase.add_metric((*key, status.phase), 1)
        if status.started_at is not None:
            started.add_metric(key, status.started_at.timestamp())
        if len(status.results) == status.runs.total:  # fewer rows: a count of them would be too low
            found: Count[str | None] = Count(row.medal for row in status.results)
            for medal in MEDALS:
                medals.add_metric((*key, medal), found[medal])
        for split, figures in status.summary.items():
            if (figure := figures.any_medal_percent) is not None:
                for name in ("mean", "low95", "high95"):
                    percent.add_metric((*key, split, name), getattr(figure, name))
        if not status.phase.is_finished:
            for row in status.results:
                state.add_metric((*key, row.competition, str(row.seed)), STATES[row.state])
    yield from (phase, started, medals, percent, state)
