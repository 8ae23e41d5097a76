"""An experiment and the place where it lives: this machine (`here.py`) or a cluster (`there.py`).

Commands ask for an experiment by name (`experiments.py`) and never for the kind of its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import catalog
from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun
from orchestrator.cli.exits import FAILED, Trouble
from orchestrator.core.model import AttemptKey, RunKey
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.storage.store import Store


class Log(Protocol):
    """What an agent wrote in one attempt."""

    def read(self) -> bytes | None:
        """All of it so far; None if there is none (yet)."""
        ...

    def read_pod(self) -> bytes | None:
        """What staging and the courier said, as long as that is kept."""
        ...

    def follow(self) -> Iterator[bytes]:
        """All of it so far and what is added, until the attempt has ended."""
        ...


class Place(Protocol):
    """Where experiments live. What can't be done there is refused with a sentence."""

    label: str
    """For a column: which place it is."""
    start: str
    """The command that starts an experiment there."""
    can_retry: bool
    """Whether `retry` is of use there."""
    look_seconds: float
    """How often it may be looked at by somebody who watches."""

    def all(self) -> list[ExperimentRun]: ...

    def get(self, key: Key) -> ExperimentRun | None: ...

    def store(self, run: ExperimentRun) -> Store:
        """The store with what its runs left."""
        ...

    def log(self, run: ExperimentRun, key: AttemptKey) -> Log: ...

    def is_unprotected(self, run: ExperimentRun) -> bool:
        """Whether nothing kept its agents apart from the machine."""
        ...

    def idle(self, run: ExperimentRun) -> str:
        """A line that says why nothing is at work on an unfinished experiment and what to do; empty if something is."""
        ...

    def cancel(self, run: ExperimentRun) -> str:
        """End it for good; like the following ones: what was done, in a sentence."""
        ...

    def suspend(self, run: ExperimentRun) -> str: ...

    def resume(self, run: ExperimentRun) -> str: ...

    def retry(self, run: ExperimentRun, attempts: Mapping[RunKey, int]) -> str:
        """Try these runs again, whose last attempts have these numbers."""
        ...

    def delete(self, run: ExperimentRun, *, results: bool) -> str: ...


def key_of(run: ExperimentRun) -> Key:
    """Which experiment it is; as text, how people call it."""
    return Key(run.metadata.namespace, run.metadata.name)


def keys_of(run: ExperimentRun) -> ExperimentKeys:
    """Where the experiment's objects are in the runs store."""
    return ExperimentKeys(run.metadata.namespace, run.metadata.name, run.metadata.uid)


def has_demo(run: ExperimentRun) -> bool:
    """Whether it runs demo competitions, whose medal lines are made up."""
    chosen = run.spec.competitions
    return chosen.split == "demo" or not set(catalog.ids("demo")).isdisjoint(chosen.ids or ())


@dataclass(frozen=True)
class Found:
    """An experiment, as it was when it was last looked at."""

    place: Place
    run: ExperimentRun

    @property
    def name(self) -> str:
        """How people call it."""
        return str(key_of(self.run))

    def look_again(self) -> Found:
        """As it is now; Trouble if it was deleted, or another one has its name."""
        run = self.place.get(key_of(self.run))
        if run is None or run.metadata.uid != self.run.metadata.uid:
            raise Trouble(f"{self.name} was deleted meanwhile.", FAILED)
        return replace(self, run=run)
