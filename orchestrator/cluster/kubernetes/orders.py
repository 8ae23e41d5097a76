"""The orders of the workers in our pods: which folders, which limits, and whom to ask for URLs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from orchestrator.api.types import parse_quantity
from orchestrator.cluster.environment import AgentPaths
from orchestrator.cluster.facts import keys_of, run_facts
from orchestrator.cluster.kubernetes.amounts import describe_hardware
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.core.model import Experiment, Start
from orchestrator.worker.orders import CourierOrder, Desk, GradeOrder, PrepareOrder, ProbeOrder, StageOrder

PATHS = AgentPaths()
CONTROL = Path("/mlectl")
TASK = Path("/task")
PRIVATE = Path("/private")
SCRATCH = Path("/scratch")
CACHE = Path("/cache")
INSTRUCTIONS = "instructions.txt"
COURIER_PORT = 5000
"""Where the agent reaches the courier, on the pod's own loopback."""
NOTICE_PORT = 5001
"""Where the kubelet tells the courier that the pod is about to go."""
GRACE_SECONDS = 60


def prepare_order(start: Start, settings: Settings) -> PrepareOrder:
    return PrepareOrder(
        competition=start.competition,
        version=start.version,
        stores=settings.stores,
        raw=SCRATCH / "raw",
        scratch=SCRATCH / "work",
        keep_archive=True,
        ahead=start.ahead,
    )


def grade_order(experiment: Experiment, start: Start, settings: Settings) -> GradeOrder:
    return GradeOrder(
        competition=start.competition,
        seed=start.seed or 0,
        attempt=start.grades_attempt or 1,
        version=experiment.spec.benchmark,
        stores=settings.stores,
        experiment=keys_of(experiment).prefix,
        grade_snapshots=experiment.spec.snapshots.grade,
        scratch=SCRATCH / "work",
    )


def stage_order(experiment: Experiment, start: Start, settings: Settings, token: str) -> StageOrder:
    return StageOrder(
        competition=start.competition,
        version=experiment.spec.benchmark,
        desk=desk(settings, token),
        resume_from=start.resume_from,
        private=PRIVATE,
        data=Path(PATHS.data),
        cache=CACHE if settings.agents.cache.claim else None,
        cache_bytes=int(parse_quantity(settings.agents.cache.size)) if settings.agents.cache.claim else 0,
        control=CONTROL,
        instructions=TASK / INSTRUCTIONS,
        submission=Path(PATHS.submission),
        code=Path(PATHS.code),
        logs=Path(PATHS.logs),
        time_limit_seconds=start.budget_seconds,
        hardware=describe_hardware(experiment.spec.resources),
    )


def probe_order(settings: Settings, token: str) -> ProbeOrder:
    network = settings.network
    return ProbeOrder(
        desk=desk(settings, token),
        canary=network.canary,
        blocked=network.blocked,
        hold_seconds=network.hold_seconds,
        private=PRIVATE,
    )


def courier_order(experiment: Experiment, start: Start, settings: Settings, token: str) -> CourierOrder:
    spec = experiment.spec
    return CourierOrder(
        competition=start.competition,
        seed=start.seed or 0,
        attempt=start.attempt,
        version=spec.benchmark,
        budget_seconds=start.budget_seconds,
        consumed_seconds=start.consumed_seconds,
        grace_seconds=GRACE_SECONDS,
        snapshot_every_seconds=spec.snapshots.every.total_seconds(),
        keep_state=spec.agent.resume,
        submission=Path(PATHS.submission),
        code=Path(PATHS.code),
        logs=Path(PATHS.logs),
        control=CONTROL,
        scratch=PRIVATE / "courier",
        listen=f"127.0.0.1:{COURIER_PORT}",
        validation=settings.validation.url,
        token=token,
        desk=desk(settings, token),
        private=PRIVATE,
        notice=f"0.0.0.0:{NOTICE_PORT}",
        facts=agent_facts(experiment, start, settings),
    )


def agent_facts(experiment: Experiment, start: Start, settings: Settings) -> dict[str, Any]:
    """What the record says that only this cluster knows: how the agent is kept apart, and from whom it is not."""
    facts = run_facts(experiment, start, "kubernetes")
    runtime_class = experiment.spec.placement.runtime_class_name or settings.agents.runtime_class_name
    runtime = f", runtime class {runtime_class}" if runtime_class else ""
    if experiment.spec.network.mode != "open" and settings.network.allow_public_store:
        facts["departures"] = [*facts["departures"], "the store is one that strangers share (allowPublicStore)"]
    return {**facts, "isolation": f"pod{runtime}"}


def desk(settings: Settings, token: str) -> Desk:
    return Desk(url=settings.validation.url, token=token)
