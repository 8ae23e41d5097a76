"""A small world for a controller: two namespaces, stores, nodes that are played, and controllers as processes.

lab.submit(seeds=2); lab.controller(); lab.wait_for_phase("trial", "Succeeded")
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, JOBS, PODS, Object
from orchestrator.controller.stores import OpenStores
from orchestrator.core.model import Role
from orchestrator.storage.layout import ExperimentKeys
from orchestrator.worker.orders import Stores
from tests.cluster.crd import install
from tests.cluster.played_nodes import PlayedNodes
from tests.cluster.player import Player
from tests.cluster.rig.handle import ControlPlane
from tests.s3server import free_ports

T = TypeVar("T")

PATIENCE_SECONDS = 180.0
COMPETITIONS = ["demo-digits", "demo-wine"]


@dataclass
class ControllerProcess:
    """`mlectl controller`, running."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
            return str(answer.read().decode())

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-3000:]
        try:
            return self.get("/readyz") == "ok\n"
        except OSError:
            return False

    @property
    def leads(self) -> bool:
        return "\nmlectl_leader 1.0" in self.get("/metrics")

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self, timeout: float = 30.0) -> int:
        """TERM; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)


@dataclass
class Lab:
    """What a test of the controller needs. `agents` is the namespace of users, `system` the controller's."""

    api: Api
    kubeconfig: Path
    folder: Path
    agents: str
    system: str
    nodes: PlayedNodes
    stores: OpenStores
    player: Player
    config: Path
    controllers: list[ControllerProcess] = field(default_factory=list)

    @classmethod
    def open(
        cls,
        control_plane: ControlPlane,
        folder: Path,
        namespaces: Callable[..., str],
        stack: ExitStack,
        *,
        urls: dict[str, str] | None = None,
        controllers_urls: dict[str, str] | None = None,
        node_count: int = 1,
    ) -> Lab:
        """`urls`: of the stores, instead of folders; `controllers_urls`: how the controller reaches the same ones."""
        install(control_plane)
        api = Api.connect(control_plane.kubeconfig)
        agents, system = namespaces(restricted=True, prefix="f-agents"), namespaces(prefix="f-system")
        nodes = PlayedNodes(api, node_count)
        nodes.start()
        stack.callback(nodes.stop)
        urls = urls or {name: (folder / name).as_uri() for name in ("public", "private", "runs")}
        stores = OpenStores.of(Stores(**urls))
        player = stack.enter_context(Player(api, stores, [agents, system], nodes))
        (folder / "key").write_text("a key of run tokens for tests alone")
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump(settings_of(agents, system, controllers_urls or urls, nodes, folder / "key")))
        lab = cls(api, control_plane.kubeconfig, folder, agents, system, nodes, stores, player, config)
        stack.callback(lab.close)
        return lab

    def close(self) -> None:
        for controller in self.controllers:
            if controller.process.poll() is None:
                controller.kill()

    def submit(self, name: str = "trial", **spec: Any) -> Object:
        """An ExperimentRun of the demo competitions, in seconds."""
        body = {
            "apiVersion": EXPERIMENTS.api_version,
            "kind": EXPERIMENTS.name,
            "metadata": {"name": name},
            "spec": {
                "competitions": {"ids": COMPETITIONS},
                "seeds": 1,
                "agent": {"name": "played", "image": "played:1"},
                "budget": {"wallClock": "1h"},
                "placement": self.nodes.placement,
                **spec,
            },
        }
        return self.api.create(EXPERIMENTS, self.agents, body)

    def controller(self, *, wait: bool = True, kubeconfig: Path | None = None) -> ControllerProcess:
        (port,) = free_ports(1)
        log = self.folder / f"controller-{len(self.controllers)}.log"
        command = [sys.executable, "-m", "orchestrator.cli", "controller", "--config", str(self.config)]
        command += ["--kubeconfig", str(kubeconfig or self.kubeconfig), "--listen", f"127.0.0.1:{port}"]
        with log.open("wb") as file:
            process = subprocess.Popen(command, stdout=file, stderr=file, env=dict(os.environ))
        found = ControllerProcess(process, port, log)
        self.controllers.append(found)
        if wait:
            self.wait(found.is_ready, "the controller is ready")
        return found

    def experiment(self, name: str = "trial") -> Object | None:
        return self.api.get(EXPERIMENTS, self.agents, name)

    def change(self, change: Object, name: str = "trial") -> Object:
        return self.api.patch(EXPERIMENTS, self.agents, name, change)

    def annotate(self, name: str = "trial", **annotations: str) -> Object:
        """`annotate(cancelled="true")`; underscores stand for dashes."""
        marked = {f"{labels.GROUP}/{key.replace('_', '-')}": value for key, value in annotations.items()}
        return self.change({"metadata": {"annotations": marked}}, name)

    def status(self, name: str = "trial") -> Object:
        found = self.experiment(name)
        return (found or {}).get("status") or {}

    def rows(self, name: str = "trial") -> dict[tuple[str, int], Object]:
        return {(row["competition"], row["seed"]): row for row in self.status(name).get("results", ())}

    def jobs(self, role: str | None = None) -> list[Object]:
        selector = f"{labels.MANAGED_BY}={labels.MLECTL}," + (f"{labels.ROLE}={role}" if role else labels.ROLE)
        return [
            job for namespace in (self.agents, self.system) for job in self.api.list(JOBS, namespace, selector).items
        ]

    def keys(self, item: Object) -> ExperimentKeys:
        return ExperimentKeys(self.agents, item["metadata"]["name"], item["metadata"]["uid"])

    def wait_for_phase(self, *phases: str, name: str = "trial", seconds: float = PATIENCE_SECONDS) -> Object:
        return self.wait(
            lambda: status if (status := self.status(name)).get("phase") in phases else None,
            f"{name} is {' or '.join(phases)}",
            seconds,
        )

    def wait(self, look: Callable[[], T], what: str, seconds: float = PATIENCE_SECONDS, *, pause: float = 0.05) -> T:
        deadline = time.monotonic() + seconds
        while not (found := look()):
            assert time.monotonic() < deadline, f"not in {seconds:g} s: {what}\n{self.tell()}"
            time.sleep(pause)
        return found

    def tell(self) -> str:
        """What a person would look at first, with what is not yet done before what was done."""
        pods = [pod for namespace in (self.agents, self.system) for pod in self.api.list(PODS, namespace).items]
        told = [
            *(tell_experiment(item) for item in self.api.list(EXPERIMENTS, self.agents).items),
            *(tell_task(item) for item in (*self.jobs(), *pods)),
            *(f"{one.log.name}:\n{tell_log(one.log)}" for one in self.controllers),
        ]
        return "\n".join(told)


def attempts_of(lab: Lab, role: Role = Role.AGENT) -> list[tuple[str, int | None, int]]:
    """Those that began."""
    return sorted((cast.competition, cast.seed, cast.attempt) for cast in lab.player.played if cast.role is role)


def total(metrics: str, series: str) -> float:
    """The sum of all samples of a series."""
    return sum(float(value) for value in re.findall(rf"^{series} (\S+)$", metrics, re.MULTILINE))


def tell_experiment(item: Object) -> str:
    status = item.get("status") or {}
    waiting = [row for row in status.get("results", ()) if row.get("state") not in ("Graded", "Failed")]
    return f"{item['metadata']['name']}: {json.dumps({**status, 'results': waiting})[:3000]}"


def tell_task(item: Object) -> str:
    """A Job or a pod: where it is, and what keeps it."""
    metadata, status = item["metadata"], item.get("status") or {}
    kept = {key: metadata[key] for key in ("deletionTimestamp", "finalizers") if key in metadata}
    happened = [f"{one['type']}={one['status']}" for one in status.get("conditions", ())]
    counted = {key: status[key] for key in ("active", "terminating", "failed", "succeeded") if status.get(key)}
    node = (item.get("spec") or {}).get("nodeName", "")
    return " ".join(
        str(word) for word in (metadata["name"], status.get("phase", ""), node, happened, counted, kept) if word
    )


def tell_log(path: Path, lines: int = 12) -> str:
    """The last lines of a controller's, with no more than what happened when."""
    return "\n".join(f"  {line[:250]}" for line in path.read_text().splitlines()[-lines:])


def settings_of(agents: str, system: str, urls: dict[str, str], nodes: PlayedNodes, key: Path) -> dict[str, Any]:
    worker = {"resources": {"cpu": "1", "memory": "1Gi"}, **nodes.placement}
    return {
        "namespace": system,
        "watch": [agents],
        "image": "mlectl:test",
        "stores": urls,
        "prepare": worker,
        "grade": worker,
        "validation": {"url": "http://validation.invalid:8080", "secretFile": str(key)},
        "network": {"canary": "canary.invalid:80"},
        "patience": "PT20S",
        "collection": "PT1M",
    }
