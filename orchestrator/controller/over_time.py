"""Score over time: how many of the graded runs would have a medal for what they had after some hours of agent time.

It is made of the snapshots in reports. Those are graded after their run has ended, so nothing is told of one that runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.api.types import ExperimentRunSpec
from orchestrator.controller.memory import Memory
from orchestrator.core.model import GradedRun

HOURS = (1, 2, 4, 8, 12, 16, 20, 24, 48)


def medal_percents(memory: Memory, spec: ExperimentRunSpec) -> Mapping[int, float]:
    """By hours, as far as the budget goes and snapshots are taken."""
    if not spec.snapshots.grade:
        return {}
    runs = [
        (graded, outcome.consumed_seconds)
        for run, graded in memory.reports.items()
        if (outcome := memory.outcomes.get(run.attempt(graded.attempt))) is not None
        and graded.medals_over_time is not None
        and not (spec.agent.resume and graded.attempt > 1)  # its first hours are another attempt's
    ]
    fewest, most = spec.snapshots.every.total_seconds(), spec.budget.wall_clock.total_seconds()
    return {
        hours: 100 * sum(had_medal(graded, consumed, hours) for graded, consumed in runs) / len(runs)
        for hours in HOURS
        if runs and fewest <= 3600 * hours <= most
    }


def had_medal(graded: GradedRun, consumed_seconds: float, hours: int) -> bool:
    """Whether what the run had after so many hours is worth a medal; of one that was done by then, what it left."""
    if consumed_seconds <= 3600 * hours:
        return graded.medal is not None
    medals = [medal for minutes, medal in graded.medals_over_time or () if minutes <= 60 * hours]
    return bool(medals) and medals[-1] is not None
