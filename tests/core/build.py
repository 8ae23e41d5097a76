"""Builders with good defaults: a test names only what matters to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus
from orchestrator.core.model import (
    AttemptKey,
    AttemptRecord,
    CompetitionFacts,
    Experiment,
    GradedRun,
    Outcome,
    Role,
    RunKey,
    Seen,
    Task,
    TaskPhase,
    Verdict,
)
from orchestrator.core.names import agent_task, grade_task, prepare_task

UID = "5f1c0c1e-uid"
NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def spec(**fields: Any) -> ExperimentRunSpec:
    """A spec of one competition and one seed; fields are named as in YAML."""
    written = {
        "competitions": {"ids": ["birds"]},
        "seeds": 1,
        "agent": {"name": "aide", "image": "aide:1"},
        "parallelism": 0,
        **fields,
    }
    return ExperimentRunSpec.model_validate(written)


def experiment(
    status: ExperimentRunStatus | None = None,
    *,
    retry_after: Mapping[RunKey, int] | None = None,
    retry_asked_at: datetime | None = None,
    cancelled: bool = False,
    generation: int = 1,
    created_at: datetime = NOW - 10 * HOUR,
    **fields: Any,
) -> Experiment:
    return Experiment(
        namespace="default",
        name="aide-lite",
        uid=UID,
        generation=generation,
        created_at=created_at,
        spec=spec(**fields),
        status=status or ExperimentRunStatus(),
        retry_after=retry_after or {},
        retry_asked_at=retry_asked_at,
        cancelled=cancelled,
    )


def facts(*ids: str, splits: Iterable[str] = ("demo",), **sizes: float) -> dict[str, CompetitionFacts]:
    names = {**dict.fromkeys(ids, 1.0), **sizes}
    return {id: CompetitionFacts(id, frozenset(splits), size) for id, size in names.items()}


BIRDS = facts("birds")


def agent(attempt: int = 1, competition: str = "birds", seed: int = 0, **fields: Any) -> Task:
    """An agent task, running unless said otherwise."""
    name = agent_task(UID, AttemptKey(competition, seed, attempt))
    return _task(name, Role.AGENT, competition, seed, attempt, **fields)


def grade(attempt: int = 1, number: int = 1, competition: str = "birds", seed: int = 0, **fields: Any) -> Task:
    """The `number`-th try to grade an attempt, running unless said otherwise."""
    name = grade_task(UID, AttemptKey(competition, seed, attempt), number)
    return _task(name, Role.GRADE, competition, seed, number, **fields)


def prepare(number: int = 1, competition: str = "birds", **fields: Any) -> Task:
    """The `number`-th try to prepare a dataset, running unless said otherwise."""
    return _task(prepare_task("v1", competition, number), Role.PREPARE, competition, None, number, **fields)


def _task(name: str, role: Role, competition: str, seed: int | None, attempt: int, **fields: Any) -> Task:
    known = {
        "phase": TaskPhase.FAILED if fields.get("ending") else TaskPhase.RUNNING,
        "created_at": NOW - HOUR,
        **fields,
    }
    return Task(name, role, competition, seed, attempt, **known)


def record(**fields: Any) -> AttemptRecord:
    """An agent that ended well and left a submission."""
    known = {
        "exit_code": 0,
        "deadline_reached": False,
        "interrupted": False,
        "has_submission": True,
        "consumed_seconds": 600.0,
        **fields,
    }
    return AttemptRecord(**known)


def key(attempt: int = 1, competition: str = "birds", seed: int = 0) -> AttemptKey:
    return AttemptKey(competition, seed, attempt)


def run(competition: str = "birds", seed: int = 0) -> RunKey:
    return RunKey(competition, seed)


def lost(reason: str = "NodeLost", **fields: Any) -> Outcome:
    """The outcome of an attempt that another one follows."""
    return Outcome(**{"verdict": Verdict.RETRY, "reason": reason, **fields})


def graded(attempt: int = 1, **fields: Any) -> GradedRun:
    """A report with a bronze medal."""
    known = {"score": 0.5, "medal": "bronze", "valid": True, "above_median": True, **fields}
    return GradedRun(attempt, **known)


def seen(*tasks: Task, **fields: Any) -> Seen:
    """What a reconcile sees; the dataset of birds is prepared unless said otherwise."""
    return Seen(**{"tasks": tasks, "prepared": frozenset({"birds"}), **fields})
