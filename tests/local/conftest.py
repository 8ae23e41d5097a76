"""A home of its own for each test, and experiments small enough to run whole in seconds."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from orchestrator.cluster.local.leftovers import kill_leftovers

AGENT = """
    cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"
    echo "seed $SEED of $COMPETITION_ID"
"""


class Machine:
    """`mlectl run` on a machine of its own: a fresh home and an agent written for the test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.started: list[subprocess.Popen[str]] = []
        self.agent = root / "agent"
        self.agent.mkdir()
        self.write_agent(AGENT)

    def write_agent(self, script: str) -> None:
        (self.agent / "start.sh").write_text(textwrap.dedent(script))

    def write_spec(self, **changes: object) -> Path:
        spec = {
            "competitions": {"ids": ["demo-wine", "demo-diabetes"]},
            "seeds": 1,
            "agent": {"name": "test", "image": "registry.example/test:1"},
            "budget": {"wallClock": "20s"},
            "snapshots": {"every": "1s"},
            "parallelism": 2,
            "resources": {"cpu": "1", "memory": "2Gi", "storage": "1Gi", "gpu": {"count": 0}},
            "network": {"mode": "none"},
        }
        document = {"apiVersion": "mlectl.dev/v1alpha1", "kind": "ExperimentRun", "metadata": {"name": "trial"}}
        path = self.root / "trial.yaml"
        path.write_text(json.dumps(document | {"spec": spec | changes}))  # JSON is YAML
        return path

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "orchestrator.cli", *arguments, "--home", str(self.home)]

    def start(self, spec: Path, **environment: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self.command("run", str(spec), "--agent-folder", str(self.agent)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )
        self.started.append(process)
        return process

    def close(self) -> None:
        """End whatever a failed test left running."""
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        for folder in (self.home / "control" / "tasks").glob("*"):
            kill_leftovers(str(folder))

    def run(self, spec: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        process = self.start(spec, **environment)
        stdout, stderr = process.communicate(timeout=240)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    @property
    def experiment(self) -> Path:
        (found,) = (self.home / "store" / "runs" / "experiments" / "default").iterdir()
        return found

    def report(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.experiment / "report.json").read_text())
        return found

    def record(self, competition: str, attempt: int = 1, seed: int = 0) -> dict[str, object]:
        path = self.experiment / "runs" / competition / f"seed-{seed}" / f"attempt-{attempt}" / "run.json"
        found: dict[str, object] = json.loads(path.read_text())
        return found


@pytest.fixture
def new_machine(tmp_path_factory):
    """Makes machines, and ends what still runs on them when the test is over."""
    made = []

    def make() -> Machine:
        made.append(Machine(tmp_path_factory.mktemp("machine")))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def machine(new_machine) -> Machine:
    return new_machine()
