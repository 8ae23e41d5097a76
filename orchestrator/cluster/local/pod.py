"""The process that carries out one task, as a kubelet would: `python -m orchestrator.cluster.local.pod FOLDER`.

It is in a session of its own and outlives the `mlectl run` that started it; whoever comes next finds its folder and its
lock. Prepare and grade tasks are one worker. An agent task is stage, then the agent under the launcher with a courier
beside it. The last thing it writes is how the task ended.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.cluster.local.launch import Launched, LaunchOrder, launch
from orchestrator.cluster.local.tasks import State, TaskFolder
from orchestrator.core.failures import Reason
from orchestrator.core.model import Ending, Role, TaskPhase
from orchestrator.worker.failure import FAILURE
from orchestrator.worker.orders import CourierOrder

POLL_SECONDS = 0.1
COURIER_RESTARTS = 5


class Pod:
    """One task on its way from start to end."""

    def __init__(self, folder: TaskFolder) -> None:
        self.folder = folder
        self.state = State(TaskPhase.QUEUED)

    def carry_out(self) -> None:
        role = self.folder.start.role
        self.enter(TaskPhase.STAGING if role is Role.AGENT else TaskPhase.RUNNING)
        try:
            end = self.run_agent() if role is Role.AGENT else self.run_worker(role.value)
        except Exception as error:  # noqa: BLE001 (whatever it is, the task's end must be written down)
            traceback.print_exc()
            end = State(TaskPhase.FAILED, ending=Ending.STAGING, message=f"{type(error).__name__}: {error}")
        self.end(end)
        for leftover in (self.folder.home, self.folder.path / "tmp", self.folder.path / "sandbox"):
            remove_tree(leftover)

    def enter(self, phase: TaskPhase) -> None:
        """Move on to a phase, and let it be known."""
        if phase is not self.state.phase:
            started_at = datetime.now(UTC) if phase is TaskPhase.RUNNING else self.state.started_at
            self.state = replace(self.state, phase=phase, started_at=started_at)
            self.folder.write_state(self.state)

    def end(self, end: State) -> None:
        self.folder.write_state(replace(end, started_at=self.state.started_at, finished_at=datetime.now(UTC)))

    def run_worker(self, role: str) -> State:
        """One worker from start to end."""
        order = self.folder.order(role)
        process = subprocess.Popen(
            [sys.executable, "-m", "orchestrator.worker", role, "--order", str(order)], stdin=subprocess.DEVNULL
        )
        while process.poll() is None:
            if self.folder.stop_asked:
                process.terminate()
                process.wait()
                return State(TaskPhase.FAILED, exit_code=process.returncode, ending=Ending.STOPPED)
            time.sleep(POLL_SECONDS)
        if process.returncode == 0:
            return State(TaskPhase.SUCCEEDED, exit_code=0)
        return replace(read_failure(order), exit_code=process.returncode)

    def run_agent(self) -> State:
        staged = self.run_worker("stage")
        if staged.phase is TaskPhase.FAILED:
            return replace(staged, ending=staged.ending or Ending.STAGING)
        order = LaunchOrder.model_validate_json(self.folder.order("launch").read_bytes())
        courier = CourierOrder.model_validate_json(self.folder.order("courier").read_bytes())
        running = launch(self.folder, order, courier)
        try:
            stopped = self.watch(running)
        finally:
            for process in (running.agent, running.courier):
                if process.poll() is None:
                    process.kill()
                    process.wait()
        code = running.agent.returncode
        ending = Ending.STOPPED if stopped else None
        return State(TaskPhase.SUCCEEDED if code == 0 else TaskPhase.FAILED, exit_code=code, ending=ending)

    def watch(self, running: Launched) -> bool:
        """Until both processes have ended. True if the task was asked to stop before."""
        stopped = is_told = False
        restarts = 0
        while running.agent.poll() is None or running.courier.poll() is None:
            if (self.folder.control / "ended").exists():
                self.enter(TaskPhase.COLLECTING)
            elif (self.folder.control / "started").exists():
                self.enter(TaskPhase.RUNNING)
            if self.folder.stop_asked and not is_told:
                stopped = is_told = True
                running.courier.terminate()
            agent_is_gone = running.agent.poll() is not None
            if agent_is_gone and running.courier.poll() is None and not (self.folder.control / "ended").exists():
                running.courier.terminate()  # the launcher was killed: collect what is left
            if running.courier.poll() not in (None, 0) and not agent_is_gone:
                if restarts == COURIER_RESTARTS:
                    raise RuntimeError(f"the courier ended {restarts + 1} times; pod.log says why")
                restarts += 1
                running.restart_courier()
                is_told = False
            time.sleep(POLL_SECONDS)
        return stopped


def read_failure(order: Path) -> State:
    """What a worker said of its failure, in the file that it leaves beside its order."""
    try:
        failure = json.loads(order.with_name(FAILURE).read_text())
    except (FileNotFoundError, ValueError):
        message = "The worker ended without saying why; pod.log in the task's folder may tell."
        return State(TaskPhase.FAILED, message=message)
    ending = Ending.STORE_UNAVAILABLE if failure["reason"] == Reason.STORE_UNAVAILABLE else None
    return State(TaskPhase.FAILED, ending=ending, message=failure["message"], try_again=failure["try_again"])


def remove_tree(path: Path) -> None:
    """Remove a folder, with read-only folders in it."""

    def retry(function: object, name: str, error: object) -> None:
        Path(name).parent.chmod(0o700)
        if Path(name).is_dir() and not Path(name).is_symlink():
            Path(name).chmod(0o700)
            shutil.rmtree(name, ignore_errors=True)
        else:
            Path(name).unlink(missing_ok=True)

    if path.exists():
        shutil.rmtree(path, onerror=retry)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal is for `mlectl run`, which asks us to stop
    Pod(TaskFolder(Path(sys.argv[1]))).carry_out()


if __name__ == "__main__":
    main()
