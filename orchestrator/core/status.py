"""The status of an experiment: one word for how far it is, counts, rows, figures and conditions.

It is derived anew each time. Nothing is decided from the old status, which only lends the times that it remembers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from orchestrator.api.types import (
    DatasetRow,
    ExperimentRunStatus,
    Phase,
    ResultRow,
    RunCounts,
    RunState,
    SplitFigures,
)
from orchestrator.core.conditions import conditions
from orchestrator.core.datasets import Dataset, Readiness
from orchestrator.core.model import CompetitionFacts
from orchestrator.core.situation import Situation
from orchestrator.core.splits import choose_splits
from orchestrator.core.state import Run
from orchestrator.core.summary import RunResult, figures
from orchestrator.core.wording import show

MOST_ROWS = 1000
"""Rows in a status; an object of the cluster may have about a megabyte."""
MOST_LETTERS = 200
"""Of what a row says."""
MOST_DATASETS = 100
"""The same of datasets that are not ready, each with a sentence."""

_COUNTED_AS_RUNNING = (RunState.STAGING, RunState.RUNNING, RunState.COLLECTING)
_SHOWN_FIRST = {RunState.GRADED: 2, RunState.FAILED: 1}


def describe(
    situation: Situation,
    runs: Sequence[Run],
    datasets: Mapping[str, Dataset],
    facts: Mapping[str, CompetitionFacts],
) -> ExperimentRunStatus:
    """The status of an experiment whose runs stand like this."""
    experiment, seen, old = situation.experiment, situation.seen, situation.experiment.status
    phase, counts = choose_phase(situation, runs, datasets), count(runs)
    return ExperimentRunStatus(
        phase=phase,
        runs=counts,
        summary=summarise(runs, facts),
        results=choose_rows(runs),
        datasets=choose_dataset_rows(datasets.values()),
        report=seen.report_url if seen.report_is_published else None,
        conditions=conditions(situation, phase, counts, datasets.values()),
        observed_generation=experiment.generation,
        started_at=old.started_at or _started_at(situation),
        finished_at=(old.finished_at or situation.now) if phase.is_finished else None,
    )


def refuse(situation: Situation, problems: Sequence[str]) -> ExperimentRunStatus:
    """The status of an experiment that cannot be run as it is written. What has come out before stays."""
    old = situation.experiment.status
    return old.model_copy(
        update={
            "phase": Phase.FAILED,
            "conditions": conditions(situation, Phase.FAILED, RunCounts(), (), problems),
            "observed_generation": situation.experiment.generation,
            "finished_at": old.finished_at or situation.now,
        }
    )


def _started_at(situation: Situation) -> datetime | None:
    """When its first task started. A dataset may have been on its way before anybody thought of this experiment."""
    first = min((task.created_at for task in situation.seen.tasks), default=None)
    return first and max(first, situation.experiment.created_at)


def choose_phase(situation: Situation, runs: Sequence[Run], datasets: Mapping[str, Dataset]) -> Phase:
    """One word for how far the experiment is."""
    if not runs:
        return _phase_of_preparing(situation, datasets)
    states = Counter(run.state for run in runs)
    if all(run.is_finished for run in runs):
        if not any(run.is_missing for run in runs):
            return Phase.SUCCEEDED
        return Phase.DEGRADED if any(run.result for run in runs) else Phase.FAILED
    if situation.spec.suspend and not situation.experiment.cancelled:
        return Phase.SUSPENDED
    if not situation.seen.tasks and not any(run.attempt for run in runs):
        return Phase.PENDING
    if any(states[state] for state in (RunState.QUEUED, *_COUNTED_AS_RUNNING)):
        return Phase.RUNNING
    if any(states[state] for state in (RunState.PENDING, RunState.PREPARING)):
        return Phase.PREPARING
    return Phase.GRADING


def _phase_of_preparing(situation: Situation, datasets: Mapping[str, Dataset]) -> Phase:
    """Of an experiment without runs (seeds: 0), which is there for its datasets alone."""
    found = Counter(dataset.readiness for dataset in datasets.values())
    if found[Readiness.READY] == len(datasets):
        return Phase.SUCCEEDED
    if situation.experiment.cancelled or found[Readiness.READY] + found[Readiness.UNAVAILABLE] == len(datasets):
        return Phase.DEGRADED if found[Readiness.READY] else Phase.FAILED
    if situation.spec.suspend:
        return Phase.SUSPENDED
    return Phase.PREPARING if situation.seen.tasks else Phase.PENDING


def count(runs: Sequence[Run]) -> RunCounts:
    states = Counter(run.state for run in runs)
    return RunCounts(
        total=len(runs),
        pending=states[RunState.PENDING],
        preparing=states[RunState.PREPARING],
        queued=states[RunState.QUEUED],
        running=sum(states[state] for state in _COUNTED_AS_RUNNING),
        grading=states[RunState.GRADING],
        graded=states[RunState.GRADED],
        failed=states[RunState.FAILED],
    )


def choose_rows(runs: Sequence[Run]) -> tuple[ResultRow, ...]:
    """Unfinished runs, then failed ones, then the others, each in the order in which they run."""
    shown = sorted(runs, key=lambda run: _SHOWN_FIRST.get(run.state, 0))[:MOST_ROWS]
    return tuple(_row(run) for run in shown)


def choose_dataset_rows(datasets: Iterable[Dataset]) -> tuple[DatasetRow, ...]:
    """Datasets that are not ready: first those that were given up, then those that something stands in the way of."""
    open_ones = [dataset for dataset in datasets if dataset.readiness is not Readiness.READY]
    shown = sorted(open_ones, key=lambda one: (one.readiness is not Readiness.UNAVAILABLE, not one.in_the_way))
    return tuple(_dataset_row(dataset) for dataset in shown[:MOST_DATASETS])


def _dataset_row(dataset: Dataset) -> DatasetRow:
    last, headway = dataset.tries.last, dataset.headway
    return DatasetRow.model_validate(
        {
            "competition": dataset.competition,
            "state": dataset.readiness.value,
            "attempt": last.attempt if last and dataset.readiness is not Readiness.WAITING else 0,
            "step": headway.step if headway else None,
            "done_bytes": headway.done_bytes if headway else None,
            "total_bytes": headway.total_bytes if headway else None,
            "shared": dataset.is_shared,
            "message": show(dataset.message),
        }
    )


def summarise(runs: Sequence[Run], facts: Mapping[str, CompetitionFacts]) -> dict[str, SplitFigures]:
    """The figures of each split that the experiment covers."""
    if not runs:
        return {}
    rows = [
        RunResult(
            *run.key,
            medal=run.result.medal,
            above_median=run.result.above_median,
            valid=run.result.valid,
            submitted=run.result.submitted,
        )
        for run in runs
        if run.is_finished and run.result is not None
    ]
    splits = choose_splits({run.key.competition for run in runs}, facts)
    return {name: _split(rows, ids) for name, ids in splits.items()}


def _split(rows: Sequence[RunResult], ids: frozenset[str]) -> SplitFigures:
    summary = figures(rows, ids)
    return SplitFigures(
        complete_seeds=len(summary.seeds),
        any_medal_percent=summary.figures.get("any_medal"),
        gold_percent=summary.figures.get("gold"),
        silver_percent=summary.figures.get("silver"),
        bronze_percent=summary.figures.get("bronze"),
        above_median_percent=summary.figures.get("above_median"),
        valid_percent=summary.figures.get("valid"),
    )


def _row(run: Run) -> ResultRow:
    result = run.result
    return ResultRow.model_validate(
        {
            "competition": run.key.competition,
            "seed": run.key.seed,
            "state": run.state,
            "attempt": run.attempt,
            "score": result.score if result else None,
            "medal": result.medal if result else None,
            "valid": result.valid if result else None,
            "reason": run.reason,
            "message": None if run.is_finished else show(run.message, MOST_LETTERS) or None,
        }
    )
