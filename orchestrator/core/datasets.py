"""Which datasets are ready, which are to be prepared now, and which are given up.

A dataset is prepared once for all experiments that need it. There is no ledger but the tasks themselves: a try's name
derives from the version, the competition and its number, so experiments that want the same try at the same time ask for
one task, and whoever comes later finds it. What a try was for is in the store afterwards, for everybody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from orchestrator.core.history import History
from orchestrator.core.model import Experiment, Headway, Role, Start, Task, TaskPhase
from orchestrator.core.names import prepare_task
from orchestrator.core.situation import Situation
from orchestrator.core.tries import Tries, look_at

AT_ONCE = 8
"""Prepare tasks of one experiment at a time, whatever its parallelism: they share a download line and a disk."""

PLACED_WITHIN = timedelta(minutes=10)
"""After so long without a node a prepare task no longer keeps another from starting. It may still get its node."""


class Readiness(StrEnum):
    WAITING = "Waiting"
    PREPARING = "Preparing"
    READY = "Ready"
    UNAVAILABLE = "Unavailable"
    """Every try to prepare it failed."""


@dataclass(frozen=True)
class Dataset:
    """A competition's dataset and answers, which come together."""

    competition: str
    readiness: Readiness
    tries: Tries = field(default_factory=Tries)
    headway: Headway | None = None
    is_shared: bool = False
    """Whether it is being prepared by a task that another experiment began."""
    in_the_way: str = ""
    """What will keep it from being prepared when its turn comes."""

    @property
    def message(self) -> str:
        """What the last try said, or what will keep the first one from its work."""
        if self.readiness is Readiness.WAITING:
            return self.in_the_way
        return self.tries.last.message if self.tries.last else ""


def look_at_datasets(
    competitions: Iterable[str], histories: Iterable[History], situation: Situation
) -> dict[str, Dataset]:
    """How far each competition's dataset is, in the order of the competitions."""
    tasks: dict[str, list[Task]] = defaultdict(list)
    for task in situation.seen.tasks:
        if task.role is Role.PREPARE:
            tasks[task.competition].append(task)
    wished = {history.key.competition for history in histories if history.is_wished_again}

    def look(competition: str) -> Dataset:
        if competition in situation.seen.prepared:
            return Dataset(competition, Readiness.READY)
        since = counts_since(situation.experiment, is_wished_again=competition in wished)
        tries = look_at(tasks[competition], situation, since=since)
        if tries.are_spent:
            return Dataset(competition, Readiness.UNAVAILABLE, tries)
        if tries.last is None or (not tries.is_running and tries.last.created_at < since):
            in_the_way = situation.seen.refused.get(competition, "")
            return Dataset(competition, Readiness.WAITING, tries, in_the_way=in_the_way)
        headway = situation.seen.headway.get(competition) if tries.is_running else None
        is_shared = tries.is_running and tries.last.asked_by not in ("", situation.experiment.uid)
        return Dataset(competition, Readiness.PREPARING, tries, headway, is_shared)

    return {competition: look(competition) for competition in competitions}


def counts_since(experiment: Experiment, *, is_wished_again: bool) -> datetime:
    """Tries before that do not count: an experiment is itself the wish to try, whatever came of earlier ones."""
    if is_wished_again and experiment.retry_asked_at is not None:
        return max(experiment.created_at, experiment.retry_asked_at)
    return experiment.created_at


def choose_prepares(datasets: Mapping[str, Dataset], needed: frozenset[str], situation: Situation) -> Iterator[Start]:
    """The prepare tasks to start now, the largest datasets first. The first one asks for the rules of all others."""
    waiting = [name for name in needed if datasets[name].readiness is Readiness.WAITING]
    running = sum(_holds_slot(dataset, situation.now) for dataset in datasets.values())
    free = min(situation.spec.parallelism or AT_ONCE, AT_ONCE) - running
    for dataset in datasets.values():
        if free <= 0:
            return
        number = dataset.tries.next
        if dataset.readiness is Readiness.READY or dataset.competition not in needed or number is None:
            continue
        if dataset.tries.are_due(situation.now):
            free -= 1
            version = situation.spec.benchmark
            ahead, waiting = tuple(sorted({*waiting} - {dataset.competition})), []
            yield Start(
                prepare_task(version, dataset.competition, number),
                Role.PREPARE,
                dataset.competition,
                attempt=number,
                out_of_memory=dataset.tries.out_of_memory,
                version=version,
                asked_by=situation.experiment.uid,
                ahead=ahead,
            )


def _holds_slot(dataset: Dataset, now: datetime) -> bool:
    """Not one whose task no node has taken: the largest go first, and some may be too large for every node there is."""
    last = dataset.tries.last
    if not dataset.tries.is_running or last is None:
        return False
    return last.phase is not TaskPhase.QUEUED or now - last.created_at < PLACED_WITHIN
