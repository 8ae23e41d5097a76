"""Agents as real processes: their own folders, their environment, what they print."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from tests.agents.tasks import Task

AGENTS = Path(__file__).parents[2] / "images" / "agents"


@dataclass(frozen=True)
class Place:
    """The folders of one run of one agent."""

    agent: str
    root: Path
    data: Path

    @property
    def submission(self) -> Path:
        return self.root / "submission" / "submission.csv"

    @property
    def frame(self) -> pd.DataFrame:
        return pd.read_csv(self.submission)

    def start(self, **env: str) -> subprocess.Popen[str]:
        """The agent under way, as the launcher starts it."""
        given = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "AGENT_DIR": str(AGENTS / self.agent),
            "AGENT_PYTHON": sys.executable,
            "DATA_DIR": str(self.data),
            "SUBMISSION_DIR": str(self.root / "submission"),
            "CODE_DIR": str(self.root / "code"),
            "LOGS_DIR": str(self.root / "logs"),
            "COMPETITION_ID": "a-task",
            "SEED": "0",
            "TIME_LIMIT_SECS": "200",
            "VALIDATION_URL": "http://127.0.0.1:9",
        }
        return subprocess.Popen(
            ["bash", str(AGENTS / self.agent / "start.sh")],
            env={**given, **env},
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *, exit_code: int = 0, **env: str) -> str:
        """Run the agent to its end; what it printed."""
        process = self.start(**env)
        printed, _ = process.communicate(timeout=120)
        assert process.returncode == exit_code, printed
        return printed


@pytest.fixture
def place(tmp_path: Path) -> Callable[..., Place]:
    """`place("baseline", task)`: fresh folders for a run."""

    def build(agent: str, task: Task | Path, name: str = "run") -> Place:
        root = tmp_path / name
        root.mkdir()
        return Place(agent, root, task if isinstance(task, Path) else task.data)

    return build


@pytest.fixture
def baseline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes the baseline agent's own modules importable."""
    monkeypatch.syspath_prepend(str(AGENTS / "baseline"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "baseline"]:
        del sys.modules[name]
