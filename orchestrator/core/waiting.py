"""When to look at an experiment again although nothing is reported: when a wait that was decided on is over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from orchestrator.core.datasets import Dataset, Readiness
from orchestrator.core.expiry import expiries
from orchestrator.core.history import History
from orchestrator.core.model import Action, Publish, RunKey
from orchestrator.core.schedule import next_attempt_due
from orchestrator.core.situation import Situation
from orchestrator.core.state import Need, Run

RESYNC = timedelta(minutes=5)
"""The longest that an experiment goes unseen while a run or a task of it has not ended: the store brings no news of its
own, and a node that is not heard of none at all."""
HEADWAY = timedelta(seconds=30)
"""The same while a dataset is being prepared, whose bytes people like to see move."""


def look_again_after(
    actions: Sequence[Action],
    runs: Sequence[Run],
    histories: Mapping[RunKey, History],
    datasets: Mapping[str, Dataset],
    situation: Situation,
) -> timedelta | None:
    """The time until the first wait is over; None: there is nothing to wait for but news."""
    if any(isinstance(action, Publish) for action in actions):
        return timedelta(0)  # the status has yet to say where the report is
    now = situation.now
    waits = [moment - now for moment in _moments(runs, histories, datasets, situation) if moment > now]
    if not all(run.is_finished for run in runs) or not all(task.phase.is_final for task in situation.seen.tasks):
        waits.append(RESYNC)
    if any(dataset.readiness is Readiness.PREPARING for dataset in datasets.values()):
        waits.append(HEADWAY)
    return min(waits, default=None)


def _moments(
    runs: Iterable[Run],
    histories: Mapping[RunKey, History],
    datasets: Mapping[str, Dataset],
    situation: Situation,
) -> Iterator[datetime]:
    for run in runs:
        due_at = next_attempt_due(histories[run.key]) if run.need is Need.ATTEMPT else run.grading.due_at
        if due_at is not None:
            yield due_at
    yield from (dataset.tries.due_at for dataset in datasets.values() if dataset.tries.due_at is not None)
    for task in situation.seen.tasks:
        yield from (moment for moment in (situation.lost_at(task), task.changes_at) if moment is not None)
    yield from (expires_at for _, expires_at in expiries(histories, situation))
