"""Prepare Jobs are shared: one prepares a competition for all experiments that need it. Who still needs one?

Its name derives from version, competition and try, and creating a Job of a name that is there fails, so the API server
itself sees to it that there is one. It bears no experiment's uid: it outlives the one that began it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.core.expand import expand
from orchestrator.core.model import CompetitionFacts, Experiment


def is_shared(job: Object) -> bool:
    return labels.BENCHMARK in job["metadata"]["labels"]


def competition_of(job: Object) -> str:
    return str(job["metadata"]["labels"].get(labels.COMPETITION, ""))


def needs(job: Object, experiments: Iterable[Experiment], facts: Mapping[str, CompetitionFacts]) -> bool:
    """Whether one of these experiments asks for what a shared Job prepares. A cancelled one asks for nothing more."""
    version, competition = job["metadata"]["labels"][labels.BENCHMARK], competition_of(job)
    return any(
        not experiment.cancelled
        and not experiment.is_deleted
        and experiment.spec.benchmark == version
        and competition in expand(experiment.spec, facts).competitions
        for experiment in experiments
    )
