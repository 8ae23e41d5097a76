"""ExperimentRuns on this machine, a file each: what an API server would hold.

    experimentruns/<namespace>/<name>.json    the whole object: metadata, spec, status

Only the process that holds an experiment's lock writes its status, so a write never meets another.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.api.changes import refused_changes
from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun, ExperimentRunStatus
from orchestrator.cluster.local.files import write_atomically
from orchestrator.cluster.local.wishes import forget


class SpecChanged(Exception):
    """An experiment of this name exists with another spec; its message says what to do. Nothing was changed."""


class ExperimentFolder:
    """Every ExperimentRun of a home."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def list(self) -> Iterator[ExperimentRun]:
        """All of them, by namespace and name."""
        for path in sorted(self.root.glob("*/*.json")):
            yield self._read(path)

    def get(self, key: Key) -> ExperimentRun | None:
        path = self.path(key)
        return self._read(path) if path.exists() else None

    def lock_path(self, key: Key) -> Path:
        return self.path(key).with_suffix(".lock")

    def submit(self, wanted: ExperimentRun) -> ExperimentRun:
        """The experiment of this name with this spec: the one that is there, or a new one with a uid of its own."""
        key = Key(wanted.metadata.namespace, wanted.metadata.name)
        found = self.get(key)
        if found is None:
            given = {"uid": str(uuid.uuid4()), "generation": 1, "creation_timestamp": datetime.now(UTC)}
            metadata = wanted.metadata.model_copy(update=given)
            return self._write(wanted.model_copy(update={"metadata": metadata, "status": ExperimentRunStatus()}))
        if found.spec == wanted.spec:
            return found
        if refused := refused_changes(found.spec, wanted.spec):
            raise SpecChanged(
                f"Experiment {key} exists with another spec, and its results stay as they are. "
                + "; ".join(refused)
                + "."
            )
        metadata = found.metadata.model_copy(update={"generation": found.metadata.generation + 1})
        return self._write(found.model_copy(update={"metadata": metadata, "spec": wanted.spec}))

    def write_status(self, key: Key, status: ExperimentRunStatus) -> None:
        """Replace the status if it differs; fine if the experiment is gone."""
        found = self.get(key)
        if found is not None and found.status != status:
            self._write(found.model_copy(update={"status": status}))

    def remove(self, key: Key) -> None:
        """Forget an experiment on which nobody is at work; fine if it is not there. Its lock stays: others may wait."""
        self.path(key).unlink(missing_ok=True)
        forget(self.path(key))

    def path(self, key: Key) -> Path:
        """Where an experiment is kept, or would be."""
        return self.root / key.namespace / f"{key.name}.json"

    def _write(self, experiment: ExperimentRun) -> ExperimentRun:
        path = self.path(Key(experiment.metadata.namespace, experiment.metadata.name))
        write_atomically(path, json.dumps(experiment.to_dict(), indent=1))
        return experiment

    @staticmethod
    def _read(path: Path) -> ExperimentRun:
        return ExperimentRun.model_validate_json(path.read_bytes())
