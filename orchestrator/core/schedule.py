"""Which attempts and grade tasks start next.

Attempts start in the order of the runs, as many as `parallelism` leaves room for. A retry keeps the place of its run,
so it goes before every run of a later seed and is never starved. Grading waits for nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from orchestrator.core.budget import allow
from orchestrator.core.history import History
from orchestrator.core.model import Role, RunKey, Start
from orchestrator.core.names import agent_task, grade_task
from orchestrator.core.retry import delay_after, spent_retries
from orchestrator.core.situation import Situation
from orchestrator.core.state import Need, Run


def choose_attempts(runs: Iterable[Run], histories: Mapping[RunKey, History], situation: Situation) -> Iterator[Start]:
    """The agent tasks to start now."""
    free = free_slots(situation)
    for run in runs:
        if free is not None and free <= 0:
            return
        history = histories[run.key]
        if run.need is not Need.ATTEMPT or not _is_due(history, situation.now):
            continue
        free = None if free is None else free - 1
        yield _attempt(history, situation)


def choose_grades(runs: Iterable[Run], ready: frozenset[str], situation: Situation) -> Iterator[Start]:
    """The grade tasks to start now: one for each run that waits for it and whose answers are there."""
    for run in runs:
        number = run.grading.next
        if run.need is not Need.GRADE or number is None or not run.grading.are_due(situation.now):
            continue
        if run.key.competition in ready:
            name = grade_task(situation.experiment.uid, run.key.attempt(run.attempt), number)
            yield Start(name, Role.GRADE, *run.key, attempt=number, grades_attempt=run.attempt)


def free_slots(situation: Situation) -> int | None:
    """How many more agents may run; None: no limit. What runs on a lost node holds no slot."""
    if situation.spec.parallelism == 0:
        return None
    held = sum(task.role is Role.AGENT and situation.is_busy(task) for task in situation.seen.tasks)
    return max(0, situation.spec.parallelism - held)


def _is_due(history: History, now: datetime) -> bool:
    """Whether the run has waited long enough since its last attempt."""
    due_at = next_attempt_due(history)
    return due_at is None or due_at <= now


def next_attempt_due(history: History) -> datetime | None:
    """When the next attempt may start; None: at once. Each counted retry makes the wait longer."""
    if history.task is None:
        return None
    spent = spent_retries(history.outcomes.values())
    last = history.outcome
    failures = spent.infrastructure + spent.agent if last is not None and last.counts else 0
    return history.task.created_at + delay_after(failures)


def _attempt(history: History, situation: Situation) -> Start:
    before = history.outcome
    clock = history.clocks.get(before.saved) if before is not None and before.saved is not None else None
    given = allow(before, situation.spec, clock)
    key = history.key.attempt(history.newest + 1)
    return Start(
        agent_task(situation.experiment.uid, key),
        Role.AGENT,
        *key,
        budget_seconds=given.seconds,
        consumed_seconds=given.consumed_seconds,
        resume_from=given.resume_from,
    )
