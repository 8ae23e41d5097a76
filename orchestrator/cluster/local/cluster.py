"""This machine behind the protocol that the controller uses (`controller/cluster.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRunStatus
from orchestrator.cluster.experiments import to_experiment
from orchestrator.cluster.local.agents import find_agent
from orchestrator.cluster.local.experiments import ExperimentFolder
from orchestrator.cluster.local.files import try_lock
from orchestrator.cluster.local.home import Home
from orchestrator.cluster.local.leftovers import MARK, kill_leftovers
from orchestrator.cluster.local.orders import Clerk
from orchestrator.cluster.local.tasks import TaskFolder, task_folders
from orchestrator.cluster.local.validation import ValidationService
from orchestrator.cluster.local.wishes import Wish, asked
from orchestrator.core.model import Event, Experiment, Note, Role, RunKey, Start, Task
from orchestrator.storage.open import open_store

Listener = Callable[[Event], None]


class LocalCluster:
    """ExperimentRuns as files, tasks as processes in sessions of their own."""

    def __init__(self, home: Home, *, agent_folder: Path | None = None, on_event: Listener | None = None) -> None:
        self.home = home
        self.agent_folder = agent_folder
        self.on_event = on_event
        self.is_suspended = False
        """Set on Ctrl-C or `mlectl suspend`: the experiment is then seen as suspended, and its spec stays as it is."""
        self.retry_after: Mapping[RunKey, int] = {}
        """Runs that are to be tried again although they had been given up, with the attempt that the wish refers to."""
        self.pods: list[subprocess.Popen[bytes]] = []
        """Processes that this one started, kept so that their ends are taken notice of. They do not depend on it."""
        self.experiments = ExperimentFolder(home.experiments)
        self.validation = ValidationService(home)
        stores = home.stores
        self.clerk = Clerk(
            home, open_store(stores.public), open_store(stores.runs), self.validation.address, self.validation.secret
        )

    def experiment(self, key: Key) -> Experiment | None:
        found = self.experiments.get(key)
        if found is None:
            return None
        wish = asked(self.experiments.path(key))
        self.is_suspended = self.is_suspended or wish is Wish.SUSPEND
        return to_experiment(
            found, suspended=self.is_suspended, cancelled=wish is Wish.CANCEL, retry_after=self.retry_after
        )

    def tasks(self, experiment: Experiment) -> Sequence[Task]:
        return self._tasks(self._folders(experiment))

    def preparations(self, version: str, competitions: Collection[str]) -> Sequence[Task]:
        return self._tasks(self._prepare_folders(version, competitions))

    def start(self, experiment: Experiment, task: Start) -> None:
        folder = TaskFolder(self.home.tasks / task.name)
        lock = try_lock(folder.lock)
        if lock is None:
            return
        try:
            if folder.state() is not None:
                return
            now = datetime.now(UTC)
            if task.role is Role.AGENT:
                self.validation.ensure()
            agent = find_agent(experiment.spec, self.agent_folder)
            self.clerk.write(folder, experiment, task, agent, now)
            folder.create(experiment.uid, task, now)
            self._spawn(folder, lock)
        finally:
            os.close(lock)

    def stop(self, experiment: Experiment, name: str, why: str) -> None:
        """A preparation is stopped by the experiment that began it; another one that needs it begins it again."""
        folder = TaskFolder(self.home.tasks / name)
        if folder.is_alive and folder.experiment_uid == experiment.uid:
            folder.ask_to_stop(why)

    def note(self, experiment: Experiment, note: Note) -> None:
        """A task's folder tells it anyway."""

    def remove(self, experiment: Experiment, name: str) -> None:
        folder = TaskFolder(self.home.tasks / name)
        if not folder.is_alive:
            folder.remove()

    def write_status(self, experiment: Experiment, status: ExperimentRunStatus) -> None:
        self.experiments.write_status(Key(experiment.namespace, experiment.name), status)

    def record(self, experiment: Experiment, events: Sequence[Event]) -> None:
        for event in events:
            if self.on_event:
                self.on_event(event)

    def news(self, experiment: Experiment) -> object:
        """Something that differs whenever a task of the experiment has begun, moved on or ended, or a person asks."""
        wish = asked(self.experiments.path(Key(experiment.namespace, experiment.name)))
        folders = [*self._folders(experiment), *self._prepare_folders(experiment.spec.benchmark)]
        return wish, tuple((folder.name, folder.mark()) for folder in folders)

    def close(self) -> None:
        self.validation.close()

    def _folders(self, experiment: Experiment) -> list[TaskFolder]:
        """Of the experiment's own tasks."""
        return [
            folder
            for folder in task_folders(self.home.tasks)
            if folder.experiment_uid == experiment.uid and folder.start.role is not Role.PREPARE
        ]

    def _prepare_folders(self, version: str, competitions: Collection[str] | None = None) -> list[TaskFolder]:
        """Of tasks that prepare a version of these competitions, or of all, for whichever experiment."""
        return [
            folder
            for folder in task_folders(self.home.tasks)
            if folder.start.role is Role.PREPARE
            and folder.start.version == version
            and (competitions is None or folder.start.competition in competitions)
        ]

    def _tasks(self, folders: Iterable[TaskFolder]) -> list[Task]:
        seen = (self._look(folder) for folder in folders)
        return [task for task in seen if task is not None]

    def _look(self, folder: TaskFolder) -> Task | None:
        """The task as it is. One whose process was killed is closed here: what it left running is ended first."""
        if folder.is_lost:
            kill_leftovers(str(folder.path))
            folder.close_lost()
        return folder.task()

    def _spawn(self, folder: TaskFolder, lock: int) -> None:
        with folder.log.open("ab") as log:
            pod = subprocess.Popen(
                [sys.executable, "-m", "orchestrator.cluster.local.pod", str(folder.path)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[lock],
                env={**os.environ, MARK: str(folder.path)},
                start_new_session=True,
            )
        self.pods = [*(one for one in self.pods if one.poll() is None), pod]
