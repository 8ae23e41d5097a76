"""What an agent wrote in an attempt: from its folder while it runs here, from the store afterwards.

The folder is the agent's, who may have put a link in the log's place, so nothing is followed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass

from orchestrator.api.types import ExperimentRun
from orchestrator.cli.place import keys_of
from orchestrator.cluster.local.home import Home
from orchestrator.cluster.local.tasks import TaskFolder
from orchestrator.core.model import AttemptKey
from orchestrator.core.names import agent_task
from orchestrator.storage.open import open_store
from orchestrator.worker.files import open_plain
from orchestrator.worker.folders import open_folder

LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class AgentLog:
    """The log of one attempt of an experiment of this home."""

    home: Home
    run: ExperimentRun
    key: AttemptKey

    @property
    def task(self) -> TaskFolder:
        return TaskFolder(self.home.tasks / agent_task(self.run.metadata.uid, self.key))

    def read(self, offset: int = 0) -> bytes | None:
        """The log from there on, or None if there is none (yet)."""
        live = self._read_live(offset)
        if live is not None:
            return live
        data = open_store(self.home.stores.runs).read(keys_of(self.run).attempt(*self.key).agent_log)
        return None if data is None else data[offset:]

    def read_pod(self) -> bytes | None:
        """What staging, courier and sandbox said, as long as the task is kept."""
        return self.task.log.read_bytes() if self.task.log.is_file() else None

    def follow(self) -> Iterator[bytes]:
        """What is there and what is added, until the task has ended."""
        offset, is_final = 0, False
        while not is_final:
            is_final = not self.task.is_alive  # before reading: what is written until then is read
            data = self.read(offset) or b""
            offset += len(data)
            yield data
            if not is_final:
                time.sleep(LOOK_SECONDS)

    def _read_live(self, offset: int) -> bytes | None:
        with open_folder(self.task.home / "logs") as folder:
            file = open_plain("agent.log", folder) if folder is not None else None
            if file is None:
                return None
            with os.fdopen(file, "rb") as stream:
                stream.seek(offset)
                return stream.read()
