"""The three conditions of an experiment, in the form that Kubernetes tools read and wait for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from orchestrator.api.types import Condition, Phase, RunCounts
from orchestrator.core.datasets import Dataset, Readiness
from orchestrator.core.situation import Situation
from orchestrator.core.wording import show


def conditions(
    situation: Situation,
    phase: Phase,
    counts: RunCounts,
    datasets: Iterable[Dataset],
    problems: Sequence[str] = (),
) -> tuple[Condition, ...]:
    """DatasetsReady, Progressing, Complete; each keeps the time of its last change."""
    old = {condition.type: condition for condition in situation.experiment.status.conditions}

    def state(type: str, holds: bool, reason: str, message: str) -> Condition:
        status = "True" if holds else "False"
        before = old.get(type)
        changed_at = before.last_transition_time if before is not None and before.status == status else situation.now
        return Condition.model_validate(
            {
                "type": type,
                "status": status,
                "reason": reason,
                "message": show(message),
                "last_transition_time": changed_at,
                "observed_generation": situation.experiment.generation,
            }
        )

    readiness = _datasets_ready(list(datasets))
    told = " ".join(problems) or (_tell_counts(counts) if counts.total else readiness[2])
    reason = "SpecRefused" if problems else phase.value
    moves = not phase.is_finished and phase is not Phase.SUSPENDED
    return (
        state("DatasetsReady", *readiness),
        state("Progressing", moves, reason, told),
        state("Complete", phase.is_finished, reason, told),
    )


def _datasets_ready(datasets: Collection[Dataset]) -> tuple[bool, str, str]:
    ready = [dataset for dataset in datasets if dataset.readiness is Readiness.READY]
    lost = [dataset for dataset in datasets if dataset.readiness is Readiness.UNAVAILABLE]
    told = f"{len(ready)} of {len(datasets)} datasets are prepared."
    if lost:
        detail = " ".join(f"{dataset.competition}: {dataset.message or 'no message'}" for dataset in lost)
        return False, "DatasetUnavailable", f"{told} Given up: {detail}"
    if datasets and len(ready) == len(datasets):
        return True, "Prepared", told
    if refused := [dataset.competition for dataset in datasets if dataset.in_the_way]:
        told += (
            f" Rules that nobody has accepted yet stand in the way of {', '.join(refused)}; `mlectl status` has links."
        )
    if shared := [dataset.competition for dataset in datasets if dataset.is_shared]:
        told += f" Waiting for what another experiment began to prepare: {', '.join(shared)}."
    return False, "Preparing" if datasets else "NoDatasets", told


def _tell_counts(counts: RunCounts) -> str:
    shown = ("pending", "preparing", "queued", "running", "grading", "graded", "failed")
    parts = [f"{number} {name}" for name in shown if (number := getattr(counts, name))]
    runs = "run" if counts.total == 1 else "runs"
    return f"{counts.total} {runs}: {', '.join(parts)}." if parts else "No runs."
