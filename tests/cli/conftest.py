"""The command line run in this process, a home of its own for each test, and screens that are kept as files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

import catalog
import preparers
from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun, ExperimentRunStatus
from orchestrator.cli.main import run
from orchestrator.cluster.local.experiments import ExperimentFolder
from orchestrator.cluster.local.home import Home

SCREENS = Path(__file__).parent / "screens"
RENEW = "MLECTL_RENEW_SCREENS"
CREATED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Answer:
    """What a command came to."""

    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home of this test's own, and no cluster."""
    monkeypatch.setenv("MLECTL_HOME", str(tmp_path / "home"))
    for store in ("PUBLIC", "PRIVATE", "RUNS"):
        monkeypatch.delenv(f"MLECTL_STORE_{store}", raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "no-kubeconfig"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    return Home.find()


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with demo-wine prepared, as `mlectl prepare --unpacked` leaves it."""
    folder = tmp_path_factory.mktemp("demo-data")
    competition = catalog.load("demo-wine")
    raw = folder / "raw"
    raw.mkdir()
    resolve_name(str(competition.fetch))(raw)
    target = folder / "demo-wine"
    preparers.prepare("demo-wine", raw, target / "public", target / "private")
    return folder


@pytest.fixture
def mlectl(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """`mlectl("status", "demo")`: the command's exit code and what it printed."""

    def call(*arguments: str | Path) -> Answer:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Answer(code, printed.out, printed.err)

    return call


@pytest.fixture
def mlectl_process() -> Callable[..., Answer]:
    """The same in a process of its own, as a person runs it: for commands that start others."""

    def call(*arguments: str | Path) -> Answer:
        command = [sys.executable, "-m", "orchestrator.cli", *(str(argument) for argument in arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return Answer(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def expect_screen() -> Callable[[str, str], None]:
    """Compare a text with tests/cli/screens/<name>.txt; MLECTL_RENEW_SCREENS=1 writes the file instead."""

    def compare(name: str, text: str) -> None:
        path = SCREENS / f"{name}.txt"
        if os.environ.get(RENEW):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; set {RENEW}=1 to renew it"

    return compare


def experiment(name: str = "aide-lite", status: dict[str, Any] | None = None, **spec: Any) -> ExperimentRun:
    """A sound ExperimentRun with these keys in its spec and this status."""
    return ExperimentRun.model_validate(
        {
            "metadata": {"name": name, "creationTimestamp": CREATED, "uid": "0" * 8},
            "spec": {
                "competitions": {"split": "lite"},
                "agent": {"name": "aide", "image": "registry.example/aide:1.2"},
                **spec,
            },
            "status": status or {},
        }
    )


@pytest.fixture
def keep(home: Home) -> Callable[[ExperimentRun], ExperimentRun]:
    """Put an experiment into the home, with its status."""

    def put(wanted: ExperimentRun) -> ExperimentRun:
        folder = ExperimentFolder(home.experiments)
        kept = folder.submit(wanted)
        folder.write_status(
            Key(wanted.metadata.namespace, wanted.metadata.name), ExperimentRunStatus(**dict(wanted.status))
        )
        return kept

    return put
