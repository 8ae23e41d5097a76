"""A real launcher under a real shell, with the test in the courier's place."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.worker.control import Control
from tests.worker.processes import agents_of, kill, naming, wait_for_the_last
from tests.worker.waiting import wait_for

SCRIPT = Path(__file__).parents[2] / "orchestrator" / "worker" / "launch.sh"
NEEDED = ("sleep", "mv")
HELPFUL = ("tail", "grep", "setsid", "env")
SHELLS: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "sh beside bash": (["sh"], (*NEEDED, "bash", "grep")),
    "dash": (["dash"], (*NEEDED, *HELPFUL)),
    "bare dash": (["dash"], NEEDED),
    "busybox": (["busybox", "ash"], (*NEEDED, *HELPFUL)),
}
"""How each is started, and the programs that the launcher finds beside it (BusyBox brings its own, as in Alpine)."""


def shells() -> list[str]:
    """Those of the shells that are on this machine."""
    return [name for name, (argv, beside) in SHELLS.items() if all(map(shutil.which, (argv[0], *beside)))]


@dataclass
class Launched:
    """One launcher and its folders."""

    root: Path
    shell: str | None = None
    """One of SHELLS; None: sh, with all programs of this machine."""
    prefix: Sequence[str] = ()
    """What starts the shell, such as `unshare`."""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder in (self.control, self.logs):
            folder.mkdir(parents=True)

    @property
    def control(self) -> Path:
        return self.root / "control"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def log(self) -> str:
        return (self.logs / "agent.log").read_text()

    @property
    def process(self) -> subprocess.Popen[bytes]:
        return self.processes[-1]

    def start(self, *command: str, **env: str) -> subprocess.Popen[bytes]:
        """The launcher, waiting for its word."""
        program, *rest = SHELLS[self.shell][0] if self.shell else ["sh"]
        argv = [*self.prefix, shutil.which(program) or program, *rest, str(SCRIPT), "--", *command]
        given = {"CONTROL_DIR": str(self.control), "LOGS_DIR": str(self.logs), "PATH": self.path(), **env}
        self.processes.append(
            subprocess.Popen(argv, env=given, cwd=self.root, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        )
        return self.process

    def run_python(self, code: str) -> subprocess.Popen[bytes]:
        """The launcher with a Python agent, started and on its way."""
        agent = self.root / "agent.py"
        agent.write_text(code)
        process = self.start(sys.executable, str(agent))
        self.go()
        return process

    def path(self) -> str:
        if self.shell is None:
            return os.environ["PATH"]
        folder = self.root / "bin"
        if not folder.exists():
            folder.mkdir()
            for name in SHELLS[self.shell][1]:
                program = "busybox" if self.shell == "busybox" else name
                (folder / name).symlink_to(shutil.which(program) or program)
        return str(folder)

    def go(self, grace_seconds: float = 1) -> None:
        self.wait_for("ready")
        Control(self.control).say_go(grace_seconds)

    def wait_for(self, name: str) -> dict[str, list[str]]:
        wait_for(f"the launcher's word '{name}'", (self.control / name).exists)
        return Control(self.control).said(name) or {}

    def finish(self) -> int:
        """Say that everything is collected; the launcher's exit code."""
        Control(self.control).say_collected()
        return self.process.wait(30)

    def output(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.read().decode()

    def close(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        kill(*agents_of(self.control))
        if self.shell == "busybox":
            kill(*naming(self.logs / "agent.log"))  # its tail outlives a launcher that was killed
        wait_for_the_last(self.root)
