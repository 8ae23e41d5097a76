"""What people do while an experiment runs: suspend and resume it, change its parallelism, cancel it, retry runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.api.types import RunState
from orchestrator.core.model import RunKey
from tests.core.simulator.controller import Desk
from tests.core.simulator.engine import Life
from tests.core.simulator.scenario import HOUR, Trouble
from tests.core.simulator.surroundings import Surroundings


def change(desk: Desk, **spec: Any) -> None:
    """Edit the spec, as `kubectl edit` would."""
    experiment = desk.experiment
    edited = experiment.spec.model_copy(update=spec)
    desk.experiment = replace(experiment, spec=edited, generation=experiment.generation + 1)


def suspend_and_resume(around: Surroundings, desk: Desk) -> Life:
    """In the end it is resumed, so that the experiment can end."""
    while around.is_troubled:
        yield around.chance.expovariate(1 / (3 * HOUR))
        change(desk, suspend=True)
        yield around.chance.uniform(0.01, 2) * HOUR
        change(desk, suspend=False)


def change_parallelism(around: Surroundings, desk: Desk) -> Life:
    while around.is_troubled:
        yield around.chance.expovariate(1 / (2 * HOUR))
        change(desk, parallelism=around.chance.choice([0, 1, 2, 3]))


def cancel(around: Surroundings, desk: Desk) -> Life:
    yield around.chance.uniform(0, 8) * HOUR
    desk.experiment = replace(desk.experiment, cancelled=True)


def retry_failed(around: Surroundings, desk: Desk) -> bool:
    """Ask for another attempt of some failed runs; False if none was chosen."""
    failed = [row for row in desk.experiment.status.results if row.state is RunState.FAILED]
    wishes = {RunKey(row.competition, row.seed): row.attempt for row in failed if around.chance.random() < 0.7}
    if not wishes:
        return False
    desk.experiment = replace(
        desk.experiment,
        retry_after={**desk.experiment.retry_after, **wishes},
        retry_asked_at=around.engine.now,
    )
    around.journal.wished += [(around.engine.seconds, run) for run in wishes]
    return True


LIVES = {
    Trouble.SUSPENDED: suspend_and_resume,
    Trouble.PARALLELISM: change_parallelism,
    Trouble.CANCELLED: cancel,
}
