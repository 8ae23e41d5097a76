"""A folder a task: what was asked, how far it has come, and whether the process that carries it out lives.

<task name>/
    start.json    what the controller asked for, and of which experiment; written before the process starts
    orders/       the workers' orders
    lock          held by the pod process as long as it lives
    state.json    written by the pod process: phase, times, how it ended
    stop          written by the controller: end, but collect first
    pod.log       what the pod process and its workers said
    home/         the agent's folders; removed when the task has ended
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from pydantic import TypeAdapter

from orchestrator.cluster.local.files import is_locked, write_atomically
from orchestrator.core.model import Ending, Start, Task, TaskPhase

START = TypeAdapter(Start)


@dataclass(frozen=True)
class State:
    """What the pod process says of its task."""

    phase: TaskPhase
    started_at: datetime | None = None
    finished_at: datetime | None = None
    exit_code: int | None = None
    ending: Ending | None = None
    message: str = ""
    try_again: bool = True
    """False: the task itself says that trying again changes nothing until somebody acts."""


STATE = TypeAdapter(State)


@dataclass(frozen=True)
class TaskFolder:
    """One task's folder."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def log(self) -> Path:
        return self.path / "pod.log"

    @property
    def home(self) -> Path:
        return self.path / "home"

    @property
    def control(self) -> Path:
        return self.path / "control"

    def order(self, role: str) -> Path:
        return self.path / "orders" / f"{role}.json"

    def create(self, experiment_uid: str, start: Start, now: datetime) -> None:
        """Write down what is asked; harmless when repeated."""
        asked = {
            "experiment": experiment_uid,
            "created_at": now.isoformat(),
            "start": START.dump_python(start, mode="json"),
        }
        write_atomically(self.path / "start.json", json.dumps(asked, indent=1))

    @cached_property
    def _asked(self) -> dict[str, object]:
        asked: dict[str, object] = json.loads((self.path / "start.json").read_text())
        return asked

    @property
    def experiment_uid(self) -> str:
        return str(self._asked["experiment"])

    @property
    def start(self) -> Start:
        return START.validate_python(self._asked["start"])

    @property
    def created_at(self) -> datetime:
        return datetime.fromisoformat(str(self._asked["created_at"]))

    def write_state(self, state: State) -> None:
        write_atomically(self.path / "state.json", STATE.dump_json(state).decode())

    def state(self) -> State | None:
        try:
            return STATE.validate_json((self.path / "state.json").read_bytes())
        except FileNotFoundError:
            return None

    @property
    def is_alive(self) -> bool:
        return is_locked(self.lock)

    @property
    def stop_asked(self) -> bool:
        return (self.path / "stop").exists()

    def ask_to_stop(self, why: str) -> None:
        write_atomically(self.path / "stop", why)

    @property
    def is_lost(self) -> bool:
        """Begun, not ended, and the process is gone."""
        alive = self.is_alive  # before the state: a process that ends in between has written its last state
        state = self.state()
        return state is not None and not state.phase.is_final and not alive

    def close_lost(self) -> None:
        """Write down that the process went without a word."""
        state = self.state() or State(TaskPhase.QUEUED)
        message = "the process that ran this task is gone and left no word; the machine may have been restarted"
        lost = replace(
            state, phase=TaskPhase.FAILED, finished_at=datetime.now(UTC), ending=Ending.DELETED, message=message
        )
        self.write_state(lost)

    def task(self) -> Task | None:
        """The task as the controller sees it; None if its process never began, so that it can be started again."""
        state = self.state()
        if state is None:
            if not self.is_alive:
                return None
            state = State(TaskPhase.QUEUED)
        start = self.start
        return Task(
            name=self.name,
            role=start.role,
            competition=start.competition,
            seed=start.seed,
            attempt=start.attempt,
            phase=state.phase,
            created_at=self.created_at,
            started_at=state.started_at,
            finished_at=state.finished_at,
            exit_code=state.exit_code,
            ending=state.ending,
            message=state.message,
            try_again=state.try_again,
            is_noted=True,
            asked_by=start.asked_by,
        )

    def mark(self) -> tuple[int, bool]:
        """Differs when the state was written again or the process has ended."""
        try:
            written = (self.path / "state.json").stat().st_mtime_ns
        except FileNotFoundError:
            written = 0
        return written, self.is_alive

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def task_folders(root: Path) -> Iterator[TaskFolder]:
    """Every task of this home, by name."""
    if root.is_dir():
        yield from (TaskFolder(path) for path in sorted(root.iterdir()) if (path / "start.json").exists())
