"""Where a run stands: Pending → Preparing → Queued → Staging → Running → Collecting → Grading → Graded, or Failed.

Always by the newest attempt: a report about an older one does not count, and an older one that comes back is not
looked at. A run whose submission was rejected or is not there has a report and is Failed by its agent's fault; a run
that is Failed for any other reason has no result, and is missing from the figures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum, auto

from orchestrator.api.types import RunState
from orchestrator.core.datasets import Dataset, Readiness
from orchestrator.core.failures import Reason, is_agents
from orchestrator.core.history import History
from orchestrator.core.model import GradedRun, Outcome, Role, RunKey, Task, TaskPhase, Verdict
from orchestrator.core.names import grade_task
from orchestrator.core.situation import Situation
from orchestrator.core.tries import Tries, look_at

WAITS_AFTER = timedelta(minutes=3)
"""A run that waits says for what from then on."""


class Need(Enum):
    """What a run waits for that somebody has to start."""

    ATTEMPT = auto()
    GRADE = auto()


@dataclass(frozen=True)
class Run:
    """A run as the status shows it and as the schedule takes it."""

    key: RunKey
    state: RunState
    attempt: int = 0
    reason: str | None = None
    message: str = ""
    """Why it failed, or what it waits for."""
    result: GradedRun | None = None
    need: Need | None = None
    grading: Tries = field(default_factory=Tries)

    @property
    def is_finished(self) -> bool:
        return self.state.is_finished

    @property
    def is_missing(self) -> bool:
        """Whether it has ended without a result, through no fault of the agent."""
        return self.state is RunState.FAILED and self.result is None


def read_states(histories: Iterable[History], datasets: Mapping[str, Dataset], situation: Situation) -> Iterator[Run]:
    """Where each run stands."""
    grades: dict[RunKey, list[Task]] = defaultdict(list)
    for task in situation.seen.tasks:
        if task.role is Role.GRADE and task.seed is not None:
            grades[RunKey(task.competition, task.seed)].append(task)
    for history in histories:
        grading = look_at_grading(history, grades.get(history.key, ()), situation)
        yield read_state(history, datasets[history.key.competition], grading, situation)


def look_at_grading(history: History, tasks: Iterable[Task], situation: Situation) -> Tries:
    """The tries to grade the newest attempt: of the run's grade tasks those that have its name."""
    if history.outcome is None or history.outcome.verdict is not Verdict.GRADE or history.result is not None:
        return Tries()
    uid, key = situation.experiment.uid, history.key.attempt(history.newest)
    tries = [task for task in tasks if task.name == grade_task(uid, key, task.attempt)]
    return look_at(tries, situation, since=situation.experiment.retry_asked_at if history.is_wished_again else None)


def read_state(history: History, dataset: Dataset, grading: Tries, situation: Situation) -> Run:
    """Where the run stands. `grading` are the tries to grade its newest attempt."""
    key, attempt, outcome, result = history.key, history.newest, history.outcome, history.result
    cancelled = situation.experiment.cancelled
    starts_over = history.is_wished_again and not cancelled

    if result is not None and (result.valid or not starts_over):
        return _graded(history, result)
    if outcome is not None and outcome.verdict is Verdict.GRADE and result is None:
        return _to_be_graded(history, dataset, grading)
    if outcome is not None and outcome.verdict is Verdict.FAIL and not starts_over:
        return Run(key, RunState.FAILED, attempt, outcome.reason, outcome.message)
    if history.task is not None and outcome is None and result is None:
        return Run(key, RunState(history.task.phase), attempt, message=_waits_for(history.task, situation))
    if cancelled:
        return Run(
            key, RunState.FAILED, attempt, Reason.CANCELLED, "The experiment was cancelled before the run was done."
        )
    return _to_be_started(history, dataset)


def _waits_for(task: Task, situation: Situation) -> str:
    """What is said of a task that has waited for long. At first words come and go with every try of the platform."""
    has_waited = situation.now - task.created_at >= WAITS_AFTER
    return task.message if has_waited and task.phase in (TaskPhase.QUEUED, TaskPhase.STAGING) else ""


def _graded(history: History, result: GradedRun) -> Run:
    state = RunState.GRADED if result.valid else RunState.FAILED
    reason = None if result.valid else _why_invalid(history.outcome, result)
    return Run(history.key, state, history.newest, reason, result.reason or "", result)


def _why_invalid(outcome: Outcome | None, result: GradedRun) -> str:
    if result.submitted:
        return Reason.INVALID_SUBMISSION
    return outcome.reason if outcome and outcome.reason and is_agents(outcome.reason) else Reason.NO_SUBMISSION


def _to_be_graded(history: History, dataset: Dataset, grading: Tries) -> Run:
    if grading.are_spent:
        said = grading.last.message if grading.last else ""
        return Run(history.key, RunState.FAILED, history.newest, Reason.GRADER_ERROR, said, grading=grading)
    if dataset.readiness is Readiness.UNAVAILABLE:
        return Run(history.key, RunState.FAILED, history.newest, Reason.DATASET_UNAVAILABLE, dataset.message)
    return Run(history.key, RunState.GRADING, history.newest, need=Need.GRADE, grading=grading)


def _to_be_started(history: History, dataset: Dataset) -> Run:
    key, attempt = history.key, history.newest
    match dataset.readiness:
        case Readiness.READY:
            return Run(key, RunState.QUEUED, attempt, need=Need.ATTEMPT)
        case Readiness.PREPARING:
            return Run(key, RunState.PREPARING, attempt)
        case Readiness.WAITING:
            return Run(key, RunState.PENDING, attempt)
        case Readiness.UNAVAILABLE:
            return Run(key, RunState.FAILED, attempt, Reason.DATASET_UNAVAILABLE, dataset.message)
