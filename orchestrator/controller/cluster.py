"""What a reconcile asks of the place where tasks run. Two adapters answer: this machine's processes and Kubernetes."""

from collections.abc import Collection, Sequence
from typing import Protocol

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunStatus
from orchestrator.core.model import Event, Experiment, Note, Start, Task


class Cluster(Protocol):
    """A place with ExperimentRuns and the tasks that belong to them."""

    def experiment(self, key: Key) -> Experiment | None:
        """The ExperimentRun as it is now, or None if there is none."""
        ...

    def tasks(self, experiment: Experiment) -> Sequence[Task]:
        """Every task that belongs to the experiment, finished ones too."""
        ...

    def preparations(self, version: str, competitions: Collection[str]) -> Sequence[Task]:
        """Every task that prepares one of these competitions, whichever experiment began it, finished ones too."""
        ...

    def start(self, experiment: Experiment, task: Start) -> None:
        """Create the task; harmless if it is there already."""
        ...

    def stop(self, experiment: Experiment, name: str, why: str) -> None:
        """Ask the task to end; its files are collected first. Harmless if it has ended. A task that prepares what
        another experiment needs goes on."""
        ...

    def note(self, experiment: Experiment, note: Note) -> None:
        """Write down how a task ended; from then on it is told like that. Harmless if it is gone, or noted already."""
        ...

    def remove(self, experiment: Experiment, name: str) -> None:
        """Forget a task and what it left on its machine; harmless if it is gone."""
        ...

    def write_status(self, experiment: Experiment, status: ExperimentRunStatus) -> None:
        """Replace the status, if it differs from the one there."""
        ...

    def record(self, experiment: Experiment, events: Sequence[Event]) -> None:
        """Tell whoever watches."""
        ...
