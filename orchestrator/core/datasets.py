"""Which datasets are ready, which are to be prepared now, and which are given up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from orchestrator.core.history import History
from orchestrator.core.model import Role, Start, Task
from orchestrator.core.names import prepare_task
from orchestrator.core.situation import Situation
from orchestrator.core.tries import Tries, look_at

AT_ONCE = 8
"""Prepare tasks of one experiment at a time, whatever its parallelism: they share a download line and a disk."""


class Readiness(Enum):
    WAITING = auto()
    PREPARING = auto()
    READY = auto()
    UNAVAILABLE = auto()
    """Every try to prepare it failed."""


@dataclass(frozen=True)
class Dataset:
    """A competition's dataset and answers, which come together."""

    competition: str
    readiness: Readiness
    tries: Tries = field(default_factory=Tries)

    @property
    def message(self) -> str:
        """What the last try said."""
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
        tries = look_at(tasks[competition], situation, is_wished_again=competition in wished)
        if tries.are_spent:
            return Dataset(competition, Readiness.UNAVAILABLE, tries)
        return Dataset(competition, Readiness.PREPARING if tries.last else Readiness.WAITING, tries)

    return {competition: look(competition) for competition in competitions}


def choose_prepares(datasets: Mapping[str, Dataset], needed: frozenset[str], situation: Situation) -> Iterator[Start]:
    """The prepare tasks to start now, the largest datasets first."""
    running = sum(dataset.tries.is_running for dataset in datasets.values())
    free = min(situation.spec.parallelism or AT_ONCE, AT_ONCE) - running
    for dataset in datasets.values():
        if free <= 0:
            return
        number = dataset.tries.next
        if dataset.readiness is Readiness.READY or dataset.competition not in needed or number is None:
            continue
        if dataset.tries.are_due(situation.now):
            free -= 1
            name = prepare_task(situation.experiment.uid, dataset.competition, number)
            yield Start(name, Role.PREPARE, dataset.competition, attempt=number)
