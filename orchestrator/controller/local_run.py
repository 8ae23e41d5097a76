"""`mlectl run`: one experiment from its YAML to its report on this machine, with the reconcile of the cluster.

Ctrl-C stops the agents with notice and the same command goes on later. A kill -9 leaves the agents running; the same
command finds them.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun, ExperimentRunStatus, ResultRow, RunState
from orchestrator.cluster.experiments import to_experiment
from orchestrator.cluster.local.agents import find_agent
from orchestrator.cluster.local.cluster import Listener, LocalCluster
from orchestrator.cluster.local.files import try_lock
from orchestrator.cluster.local.home import Home
from orchestrator.cluster.local.wishes import forget
from orchestrator.controller.facts import known_competitions
from orchestrator.controller.reconcile import Reconciler
from orchestrator.controller.spec_copy import write_spec
from orchestrator.controller.stores import OpenStores
from orchestrator.core.expand import expand
from orchestrator.core.failures import FAILURES, Reason
from orchestrator.core.model import Fault, Role, RunKey, TaskPhase
from orchestrator.storage.layout import ExperimentKeys

POLL_SECONDS = 0.1
LOOK_AGAIN_SECONDS = 5.0

Watcher = Callable[[ExperimentRunStatus], None]


class NotRunnable(Exception):
    """The experiment can't be run as it stands; the message says what to change. Nothing was started."""


@dataclass(frozen=True)
class Finished:
    """How a run of `mlectl run` ended."""

    key: Key
    keys: ExperimentKeys
    status: ExperimentRunStatus
    interrupted: bool


def run(
    wanted: ExperimentRun,
    home: Home,
    *,
    agent_folder: Path | None = None,
    on_status: Watcher | None = None,
    on_event: Listener | None = None,
) -> Finished:
    """Run the experiment, or go on with it, until it is finished or Ctrl-C is pressed."""
    facts = known_competitions()
    problems = expand(wanted.spec, facts).problems
    if problems:
        raise NotRunnable("\n".join(problems))
    find_agent(wanted.spec, agent_folder)
    cluster = LocalCluster(home, agent_folder=agent_folder, on_event=on_event)
    key = Key(wanted.metadata.namespace, wanted.metadata.name)
    with alone(cluster, key):
        forget(cluster.experiments.path(key))  # what was asked of an earlier run
        experiment = cluster.experiments.submit(wanted)
        stores = OpenStores.of(home.stores)
        keys = ExperimentKeys(key.namespace, key.name, experiment.metadata.uid)
        write_spec(stores, to_experiment(experiment))
        ask_again_for_missing(cluster, experiment)
        reconciler = Reconciler(cluster, stores, facts)
        with suspended_by_interrupt(cluster):
            status = drive(reconciler, cluster, key, on_status or (lambda status: None))
        return Finished(key, keys, status, interrupted=cluster.is_suspended)


def ask_again_for_missing(cluster: LocalCluster, found: ExperimentRun) -> None:
    """Running a finished experiment again is the wish to try what is missing once more; what has a result stays."""
    if not found.status.phase.is_finished:
        return
    missing = {RunKey(row.competition, row.seed): row.attempt for row in found.status.results if is_missing(row)}
    cluster.retry_after = missing
    experiment, competitions = to_experiment(found), {run.competition for run in missing}
    for task in (*cluster.tasks(experiment), *cluster.preparations(experiment.spec.benchmark, competitions)):
        is_of_missing = task.competition in competitions
        if is_of_missing and task.role is not Role.AGENT and task.phase is TaskPhase.FAILED:
            cluster.remove(experiment, task.name)


def is_missing(row: ResultRow) -> bool:
    """Whether a run has no result through no fault of its agent."""
    if row.state is not RunState.FAILED or row.reason is None:
        return False
    return FAILURES[Reason(row.reason)].fault is not Fault.AGENT


def drive(reconciler: Reconciler, cluster: LocalCluster, key: Key, on_status: Watcher) -> ExperimentRunStatus:
    """Reconcile on every piece of news until there is nothing left to wait for."""
    while True:
        step = reconciler.reconcile(key, datetime.now(UTC))
        if step is None:
            raise NotRunnable(f"Experiment {key} was deleted while it ran.")
        on_status(step.status)
        experiment = cluster.experiment(key)
        if experiment is None:
            continue
        mine = [task for task in reconciler.tasks_of(experiment) if task.asked_by in ("", experiment.uid)]
        idle = all(task.phase.is_final for task in mine)
        if idle and (step.status.phase.is_finished or cluster.is_suspended):
            return step.status
        wait_for_news(cluster, key, step.requeue_after.total_seconds() if step.requeue_after else LOOK_AGAIN_SECONDS)


def wait_for_news(cluster: LocalCluster, key: Key, longest: float) -> None:
    """Until a task of the experiment has moved on, Ctrl-C was pressed, or it is time to look anyway."""
    experiment = cluster.experiment(key)
    if experiment is None:
        return
    before, until = cluster.news(experiment), time.monotonic() + min(longest, LOOK_AGAIN_SECONDS)
    was_suspended = cluster.is_suspended
    while time.monotonic() < until and cluster.news(experiment) == before and cluster.is_suspended == was_suspended:
        time.sleep(POLL_SECONDS)


@contextmanager
def alone(cluster: LocalCluster, key: Key) -> Iterator[None]:
    """Hold the experiment's lock: two `mlectl run` of one experiment would only get in each other's way."""
    lock = try_lock(cluster.experiments.lock_path(key))
    if lock is None:
        raise NotRunnable(f"Experiment {key} is already being run on this machine; watch it with: mlectl status {key}")
    try:
        yield
    finally:
        cluster.close()
        os.close(lock)


@contextmanager
def suspended_by_interrupt(cluster: LocalCluster) -> Iterator[None]:
    """Ctrl-C or TERM once: the agents are stopped with notice. Twice: leave at once, they go on in the background."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        if cluster.is_suspended:
            raise KeyboardInterrupt
        cluster.is_suspended = True

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
