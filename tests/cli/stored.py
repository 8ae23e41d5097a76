"""An experiment as workers and controller leave it in the runs store, written by hand."""

from __future__ import annotations

import io
import json
import tarfile
from typing import Any

import yaml

from orchestrator.api.types import ExperimentRun
from orchestrator.cli.place import keys_of
from orchestrator.cluster.local.home import Home
from orchestrator.storage.open import open_store

LINES = {"gold_threshold": 0.98, "silver_threshold": 0.95, "bronze_threshold": 0.9, "median_threshold": 0.8}


def tar(**files: str) -> bytes:
    """A folder as the courier packs it; `a_py="x"` is the file a.py."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("_", "."))
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


class StoredExperiment:
    """Writes an experiment's objects into a home's runs store."""

    def __init__(self, home: Home, run: ExperimentRun) -> None:
        self.store = open_store(home.stores.runs)
        self.keys = keys_of(run)
        self.store.write(self.keys.spec, yaml.safe_dump(run.to_dict()).encode())

    def attempt(
        self, competition: str, seed: int, number: int = 1, log: str = "", isolation: str = "namespaces"
    ) -> None:
        """An attempt that ended and left everything."""
        keys = self.keys.attempt(competition, seed, number)
        record = {"clock": {"consumed_seconds": 5.0}, "isolation": isolation}
        self.store.write(keys.run, json.dumps(record).encode())
        self.store.write(keys.outcome, json.dumps({"verdict": "grade", "consumed_seconds": 5.0}).encode())
        self.store.write(keys.agent_log, log.encode())
        self.store.write(keys.logs, tar(agent_log=log))
        self.store.write(keys.code, tar(train_py="print(1)"))
        self.store.write(keys.submission, b"id,label\n1,0\n")

    def report(self, competition: str, seed: int, score: float, medal: str | None = None, **more: Any) -> None:
        """The verdict on an attempt."""
        report = {
            "competition_id": competition,
            "attempt": 1,
            "score": score,
            "medal": medal,
            "any_medal": medal is not None,
            **{f"{kind}_medal": medal == kind for kind in ("gold", "silver", "bronze")},
            "above_median": True,
            "submission_exists": True,
            "valid_submission": True,
            "is_lower_better": False,
            "created_at": "2026-03-01T12:00:00+00:00",
            "submission_path": "submission.csv",
            **more,
        }
        self.store.write(self.keys.run_report(competition, seed), json.dumps(report).encode())
