"""Which tasks are to end before they are done: those of a suspended or cancelled experiment, and attempts that were
given up and came back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.core.history import History
from orchestrator.core.model import Experiment, Role, Stop, Task, Verdict
from orchestrator.core.situation import Situation


def choose_stops(histories: Iterable[History], situation: Situation) -> Iterator[Stop]:
    """Every task to stop now; asking again is harmless, so this asks until it has ended.

    A dataset may be prepared for others too: the cluster stops such a task only if nobody else waits for it.
    """
    experiment = situation.experiment
    for history in histories:
        for task in history.tasks.values():
            if not task.phase.is_final and (why := _why_stop(history, task, experiment)):
                yield Stop(task.name, why)
    if experiment.cancelled:
        for task in situation.seen.tasks:
            if task.role is Role.PREPARE and not task.phase.is_final:
                yield Stop(task.name, "the experiment was cancelled")


def _why_stop(history: History, task: Task, experiment: Experiment) -> str | None:
    outcome = history.outcomes.get(task.attempt)
    if task.attempt < history.newest or (outcome is not None and outcome.verdict is not Verdict.GRADE):
        return "this attempt was given up"
    if outcome is not None:  # collected, and about to end by itself, unless its queue would let it go once more
        return "this attempt was collected" if task.requeued else None
    if experiment.cancelled:
        return "the experiment was cancelled"
    return "the experiment is suspended" if experiment.spec.suspend else None
