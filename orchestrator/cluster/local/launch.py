"""Starts an agent under the launcher, in a sandbox where this machine has one, and a courier beside it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from orchestrator.cluster.environment import AgentPaths, agent_environment
from orchestrator.cluster.local import sandbox
from orchestrator.cluster.local.enter import limit
from orchestrator.cluster.local.files import write_atomically
from orchestrator.cluster.local.tasks import TaskFolder
from orchestrator.worker.orders import CourierOrder, Order

Isolation = Literal["namespaces", "unprotected"]


class LaunchOrder(Order):
    """How to start the agent of a task: what in a pod is the agent's container."""

    agent: Path
    """The agent's folder."""
    command: list[str] | None
    args: list[str]
    env: dict[str, str]
    hardware: str
    cpus: int
    own_network: bool
    limits: dict[str, int]


@dataclass
class Launched:
    """The two processes of a running attempt, and what it takes to start the courier again."""

    agent: subprocess.Popen[bytes]
    courier: subprocess.Popen[bytes]
    listener: socket.socket
    order: Path

    def restart_courier(self) -> None:
        self.courier = start_courier(self.order, self.listener)


def launch(folder: TaskFolder, order: LaunchOrder, courier: CourierOrder) -> Launched:
    """Start both. The launcher waits for the courier's word before it starts the agent."""
    isolation = choose_isolation()
    start = start_isolated if isolation == "namespaces" else start_unprotected
    agent, listener = start(folder, order, courier)
    facts = {
        **courier.facts,
        "isolation": isolation,
        "network_enforced": isolation == "namespaces" and order.own_network,
    }
    told = courier.model_copy(update={"listen": f"fd:{listener.fileno()}", "facts": facts})
    order_file = folder.order("courier-started")
    write_atomically(order_file, told.model_dump_json(indent=1))
    return Launched(agent, start_courier(order_file, listener), listener, order_file)


def choose_isolation() -> Isolation:
    """How agents are kept apart on this machine; MLECTL_ISOLATION=none does without."""
    wanted = os.environ.get("MLECTL_ISOLATION") != "none"
    return "namespaces" if wanted and sandbox.is_available() else "unprotected"


def start_courier(order: Path, listener: socket.socket) -> subprocess.Popen[bytes]:
    """Born deaf to TERM, which it takes up once it knows what to do about it: one that comes earlier is not lost."""
    command = [sys.executable, "-m", "orchestrator.worker", "courier", "--order", str(order)]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        return subprocess.Popen(command, pass_fds=[listener.fileno()], stdin=subprocess.DEVNULL)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_isolated(
    folder: TaskFolder, order: LaunchOrder, courier: CourierOrder
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """In namespaces of its own, with the paths of a pod."""
    paths = AgentPaths()
    temporary = folder.home.with_name("tmp")
    temporary.mkdir(exist_ok=True)
    (folder.home / "agent").mkdir(exist_ok=True)
    box = sandbox.Sandbox(
        mounts=[
            sandbox.Mount(str(folder.home), str(paths.home), writable=True),
            sandbox.Mount(str(folder.home / "data"), str(paths.data)),
            sandbox.Mount(str(order.agent), str(paths.agent)),
            sandbox.Mount(str(folder.control), "/mlectl", writable=True),
            sandbox.Mount(str(temporary), "/tmp", writable=True),  # noqa: S108 (the agent's own)
        ],
        own_network=order.own_network,
        limits=order.limits,
    )
    listener = None if order.own_network else socket.create_server(("127.0.0.1", 0))
    port = sandbox.COURIER_PORT if listener is None else listener.getsockname()[1]
    process, inner = box.start(
        launcher_command("/mlectl", order, paths),
        env=environment(order, courier, paths, port, control="/mlectl"),
        cwd=str(paths.home),
        scratch=folder.path / "sandbox",
    )
    listener = listener or inner
    if listener is None:
        process.kill()
        process.wait()
        raise RuntimeError("the sandbox ended before the agent could start; pod.log in the task's folder says why")
    return process, listener


def start_unprotected(
    folder: TaskFolder, order: LaunchOrder, courier: CourierOrder
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """As an ordinary process, where Linux offers nothing better; whoever reads the result is told."""
    paths = AgentPaths(PurePosixPath(folder.home), PurePosixPath(order.agent))
    listener = socket.create_server(("127.0.0.1", 0))
    process = subprocess.Popen(
        launcher_command(str(folder.control), order, paths),
        env=environment(order, courier, paths, listener.getsockname()[1], control=str(folder.control)),
        cwd=folder.home,
        stdin=subprocess.DEVNULL,
        preexec_fn=lambda: limit(order.limits),
    )
    return process, listener


def launcher_command(control: str, order: LaunchOrder, paths: AgentPaths) -> list[str]:
    agent = [*(order.command or ["bash", f"{paths.agent}/start.sh"]), *order.args]
    return ["/bin/sh", f"{control}/launch.sh", "--", *agent]


def environment(
    order: LaunchOrder, courier: CourierOrder, paths: AgentPaths, port: int, *, control: str
) -> dict[str, str]:
    """The agent's environment: ours first, then what every program needs, then the spec's own wishes."""
    python = Path(sys.executable)
    return {
        **agent_environment(
            paths,
            competition=courier.competition,
            seed=courier.seed,
            budget_seconds=courier.budget_seconds,
            hardware=order.hardware,
            validation_url=f"http://localhost:{port}",
        ),
        "AGENT_PYTHON": str(python),
        "PATH": f"{python.parent}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": str(order.cpus),
        "PYTHONUNBUFFERED": "1",
        **order.env,
        "CONTROL_DIR": control,
    }
