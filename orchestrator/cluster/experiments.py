"""From an ExperimentRun to the form that decisions are made on; the same for both clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from orchestrator.api.types import ExperimentRun
from orchestrator.core.model import Experiment, RunKey


class SpecRefused(Exception):
    """An ExperimentRun that is there, but can't be run as it is written: what there is of it, and why."""

    def __init__(self, experiment: Experiment, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.experiment = experiment
        """Its spec means nothing; the rest is true."""
        self.problems = tuple(problems)


def to_experiment(
    found: ExperimentRun,
    *,
    suspended: bool = False,
    cancelled: bool = False,
    retry_after: Mapping[RunKey, int] | None = None,
) -> Experiment:
    """An ExperimentRun with the wishes that people have about it."""
    spec = found.spec.model_copy(update={"suspend": True}) if suspended else found.spec
    metadata = found.metadata
    return Experiment(
        namespace=metadata.namespace,
        name=metadata.name,
        uid=metadata.uid,
        generation=metadata.generation,
        created_at=metadata.creation_timestamp or datetime.now(UTC),
        spec=spec,
        status=found.status,
        is_deleted=metadata.deletion_timestamp is not None,
        retry_after=retry_after or {},
        cancelled=cancelled,
    )
