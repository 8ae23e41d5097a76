"""Writes the workers' orders of a task: who does what, with which URLs and which limits."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from orchestrator.cluster.facts import keys_of, run_facts, ticket_of
from orchestrator.cluster.local import machine
from orchestrator.cluster.local.agents import LocalAgent
from orchestrator.cluster.local.files import write_atomically
from orchestrator.cluster.local.home import Home
from orchestrator.cluster.local.launch import LaunchOrder, choose_isolation
from orchestrator.cluster.local.sandbox import COURIER_PORT
from orchestrator.cluster.local.tasks import TaskFolder
from orchestrator.core.model import Experiment, Role, Start
from orchestrator.storage import layout
from orchestrator.storage.dataset import Manifest, read_manifest
from orchestrator.storage.store import Store
from orchestrator.worker.orders import CourierOrder, GradeOrder, Order, PrepareOrder, StageOrder
from orchestrator.worker.tokens import mint

URLS_LAST = timedelta(days=7)
MOST_SNAPSHOTS = 2_000


@dataclass(frozen=True)
class Clerk:
    """Knows this home, and writes orders for its tasks."""

    home: Home
    public: Store
    runs: Store
    validation_address: str
    secret: str

    def write(self, folder: TaskFolder, experiment: Experiment, start: Start, agent: LocalAgent, now: datetime) -> None:
        orders: dict[str, Order]
        if start.role is Role.PREPARE:
            orders = {"prepare": self.prepare(folder, start)}
        elif start.role is Role.GRADE:
            orders = {"grade": self.grade(folder, experiment, start)}
        else:
            manifest = self.manifest(experiment, start)
            orders = {
                "stage": self.stage(folder, experiment, start, manifest),
                "launch": launch_order(experiment, agent),
                "courier": self.courier(folder, experiment, start, manifest, now),
            }
        for role, order in orders.items():
            write_atomically(folder.order(role), order.model_dump_json(indent=1))

    def prepare(self, folder: TaskFolder, start: Start) -> PrepareOrder:
        return PrepareOrder(
            competition=start.competition,
            version=start.version,
            stores=self.home.stores,
            raw=self.home.raw(start.competition),
            scratch=folder.path / "home",
        )

    def grade(self, folder: TaskFolder, experiment: Experiment, start: Start) -> GradeOrder:
        return GradeOrder(
            competition=start.competition,
            seed=start.seed or 0,
            attempt=start.grades_attempt or 1,
            version=experiment.spec.benchmark,
            stores=self.home.stores,
            experiment=keys_of(experiment).prefix,
            grade_snapshots=experiment.spec.snapshots.grade,
            scratch=folder.path / "home",
        )

    def manifest(self, experiment: Experiment, start: Start) -> Manifest:
        prefix = layout.dataset_prefix(experiment.spec.benchmark, start.competition)
        manifest = read_manifest(self.public, prefix)
        if manifest is None:
            raise LookupError(f"{start.competition} is not prepared: there is no {prefix}/{layout.MANIFEST}")
        return manifest

    def stage(self, folder: TaskFolder, experiment: Experiment, start: Start, manifest: Manifest) -> StageOrder:
        prefix = layout.dataset_prefix(experiment.spec.benchmark, start.competition)
        is_isolated = choose_isolation() == "namespaces"
        has_own_port = is_isolated and experiment.spec.network.mode != "open"
        return StageOrder(
            competition=start.competition,
            version=experiment.spec.benchmark,
            manifest=self.public.presign(f"{prefix}/{layout.MANIFEST}", "GET", URLS_LAST),
            shards={
                shard.name: self.public.presign(f"{prefix}/{shard.name}", "GET", URLS_LAST) for shard in manifest.shards
            },
            data=folder.home / "data",
            control=folder.control,
            instructions=folder.home / "instructions.txt",
            restore=self.restore(experiment, start),
            submission=folder.home / "submission",
            code=folder.home / "code",
            logs=folder.home / "logs",
            home="/home" if is_isolated else str(folder.home),
            time_limit_seconds=start.budget_seconds,
            hardware=machine.describe(experiment.spec.resources),
            validation_url=f"http://localhost:{COURIER_PORT}" if has_own_port else "$VALIDATION_URL",
        )

    def restore(self, experiment: Experiment, start: Start) -> dict[str, str]:
        """What an agent that resumes gets back of its earlier attempt, as far as that one saved it."""
        if start.resume_from is None:
            return {}
        earlier = keys_of(experiment).attempt(start.competition, start.seed or 0, start.resume_from)
        saved = {"code.tar": earlier.code, "logs.tar": earlier.logs, "submission.csv": earlier.submission}
        return {name: self.runs.presign(key, "GET", URLS_LAST) for name, key in saved.items() if self.runs.stat(key)}

    def courier(
        self, folder: TaskFolder, experiment: Experiment, start: Start, manifest: Manifest, now: datetime
    ) -> CourierOrder:
        spec, seed = experiment.spec, start.seed or 0
        ticket = ticket_of(experiment, start)
        return CourierOrder(
            competition=start.competition,
            seed=seed,
            attempt=start.attempt,
            version=spec.benchmark,
            budget_seconds=start.budget_seconds,
            consumed_seconds=start.consumed_seconds,
            snapshot_every_seconds=spec.snapshots.every.total_seconds(),
            keep_state=spec.agent.resume,
            submission=folder.home / "submission",
            code=folder.home / "code",
            logs=folder.home / "logs",
            control=folder.control,
            validation=self.validation_address,
            token=mint(ticket, self.secret, expires=now + URLS_LAST),
            uploads=self.uploads(experiment, start),
            facts={**local_facts(experiment, start), "dataset_digest": manifest.digest},
        )

    def uploads(self, experiment: Experiment, start: Start) -> dict[str, str]:
        keys = keys_of(experiment).attempt(start.competition, start.seed or 0, start.attempt)
        every = experiment.spec.snapshots.every.total_seconds()
        count = min(MOST_SNAPSHOTS, int(experiment.spec.budget.wall_clock.total_seconds() // every))
        wanted = [keys.submission, keys.clock, keys.run, keys.code, keys.logs, keys.agent_log]
        wanted += [keys.snapshot(number * every / 60) for number in range(1, count + 1)]
        return {key.removeprefix(f"{keys.prefix}/"): self.runs.presign(key, "PUT", URLS_LAST) for key in wanted}


def launch_order(experiment: Experiment, agent: LocalAgent) -> LaunchOrder:
    spec = experiment.spec
    return LaunchOrder(
        agent=agent.folder.absolute(),
        command=list(agent.command) if agent.command else None,
        args=list(agent.args),
        env=dict(agent.env),
        hardware=machine.describe(spec.resources),
        cpus=machine.cpus(spec.resources),
        own_network=spec.network.mode != "open",
        limits=machine.process_limits(spec.resources),
    )


def local_facts(experiment: Experiment, start: Start) -> dict[str, Any]:
    """What is known of a run before it starts, for its record."""
    return {**run_facts(experiment, start, "local"), "node": platform.node()}
