"""What is done, kept in CODE_DIR so that a restarted agent goes on where it was: each step's score and predictions.

A step counts as done when journal.json names it; its predictions are in place by then. The submission follows from the
journal, so that it is the same whether a run was disturbed or not.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from baseline.folds import Prediction
from baseline.metrics import Metric
from baseline.places import Places, replace_file
from baseline.tables import table_files

VERSION = 1
"""Raised when steps come to mean something else, so that nobody goes on from an older agent's work."""


@dataclass(frozen=True)
class Step:
    """A finished step."""

    name: str
    score: float | None
    """On the training rows; None if the step failed."""
    seconds: float
    problem: str = ""
    """Why the step's submission is not used: it failed, or its submission was rejected."""


class Journal:
    """Finished steps of this task and seed, in the order in which they were finished."""

    def __init__(self, folder: Path, identity: str) -> None:
        self._folder = folder
        self._identity = identity
        self.steps: list[Step] = []

    @classmethod
    def open(cls, places: Places) -> Journal:
        """The journal of an earlier start with the same data and seed, or an empty one."""
        folder = places.code / "baseline"
        folder.mkdir(parents=True, exist_ok=True)
        journal = cls(folder, _identity(places))
        try:
            kept = json.loads((folder / "journal.json").read_text(encoding="utf-8"))
            if kept["identity"] == journal._identity:
                journal.steps = [Step(**step) for step in kept["steps"]]
        except (OSError, ValueError, KeyError, TypeError):
            journal.steps = []
        return journal

    def has(self, name: str) -> bool:
        return any(step.name == name for step in self.steps)

    def best(self, metric: Metric) -> Step | None:
        """The usable step with the best score; of equals the first."""
        usable = [step for step in self.steps if step.score is not None and not step.problem]
        best: Step | None = None
        for step in usable:
            if best is None or metric.is_better(step.score or 0.0, best.score or 0.0):
                best = step
        return best

    def add(self, step: Step, prediction: Prediction | None) -> None:
        """Write down a finished step, its predictions first."""
        if prediction is not None:
            buffer = io.BytesIO()
            np.savez(buffer, train=prediction.train, test=prediction.test)
            replace_file(self._folder / f"{step.name}.npz", buffer.getvalue())
        self._write([*self.steps, step])

    def rule_out(self, name: str, problem: str) -> None:
        """A step's submission was rejected: it will not be handed in again."""
        self._write([Step(s.name, s.score, s.seconds, problem) if s.name == name else s for s in self.steps])

    def prediction(self, name: str) -> Prediction:
        with np.load(self._folder / f"{name}.npz") as kept:
            return Prediction(kept["train"], kept["test"])

    def _write(self, steps: list[Step]) -> None:
        content = {"identity": self._identity, "steps": [asdict(step) for step in steps]}
        replace_file(self._folder / "journal.json", json.dumps(content, indent=1).encode())
        self.steps = steps


def _identity(places: Places) -> str:
    """Stands for the agent's version, the seed and the tables by name and size."""
    tables = [(path.name, path.stat().st_size) for path in table_files(places.data)]
    return hashlib.sha256(repr((VERSION, places.seed, tables)).encode()).hexdigest()[:16]
