"""What `mlectl prepare --on-cluster` does: asks a cluster to prepare competitions, and waits for it.

A person may write ExperimentRuns in a namespace and nothing else, so the wish is one: with `seeds: 0` it has no runs
and is there for its datasets. Its name derives from what is asked for, so the same command finds it again; it goes when
all is prepared, and stays to be looked at when something is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from catalog import Competition
from orchestrator.api.key import Key
from orchestrator.api.types import API_VERSION, KIND, ExperimentRun
from orchestrator.cli.exits import FAILED, UNREACHABLE, Trouble
from orchestrator.cli.place import key_of
from orchestrator.cli.preparation import Outcome
from orchestrator.cli.there import There

GONE_SECONDS = 30.0

Shown = Callable[[ExperimentRun, str], None]
"""Shown the experiment as it goes on, and why nothing is heard of it if that is so."""


def ask_cluster(there: There, competitions: Sequence[Competition], version: str) -> ExperimentRun:
    """The experiment that prepares them: the one that is at work on it, or a new one."""
    body = wish(there.namespace, [one.id for one in competitions], version)
    key = Key(there.namespace, body["metadata"]["name"])
    deadline = time.monotonic() + GONE_SECONDS
    while time.monotonic() < deadline:
        if (made := there.create(body)) is not None:
            return made
        found = there.get(key)
        if found is not None and not found.status.phase.is_finished and not found.metadata.deletion_timestamp:
            return found
        if found is not None and not found.metadata.deletion_timestamp:
            there.delete(found, results=False)  # of an earlier time: to ask again is to try again
        time.sleep(there.look_seconds)
    raise Trouble(
        f"{key} is being deleted and does not go; look at it with: kubectl get exp -n {key.namespace}", FAILED
    )


def wish(namespace: str, ids: Sequence[str], version: str) -> dict[str, Any]:
    digest = sha256("\n".join(sorted(ids)).encode()).hexdigest()[:8]
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": f"prepare-{version}-{digest}", "namespace": namespace},
        "spec": {
            "benchmark": version,
            "competitions": {"ids": sorted(ids)},
            "seeds": 0,
            "agent": {"name": "none", "image": "none"},
        },
    }


def follow(there: There, run: ExperimentRun, show: Shown) -> ExperimentRun:
    """The experiment when it has ended. A cluster that is away for a while is waited for."""
    while True:
        away = ""
        try:
            found = there.get(key_of(run))
            if found is None or found.metadata.uid != run.metadata.uid:
                raise Trouble(f"{key_of(run)} was deleted before it was done; what is prepared stays prepared.", FAILED)
            run = found
        except Trouble as trouble:
            if trouble.code != UNREACHABLE:
                raise
            away = str(trouble)
        show(run, away or there.idle(run))
        if run.status.phase.is_finished:
            return run
        time.sleep(there.look_seconds)


def outcomes_of(run: ExperimentRun, competitions: Sequence[Competition]) -> list[Outcome]:
    """What became of each competition; Trouble if the cluster could not even begin."""
    for condition in run.status.conditions:
        if condition.reason == "SpecRefused":
            raise Trouble(f"The cluster refused: {condition.message}", FAILED)
    lost = {row.competition: row.message or "It says no reason." for row in run.status.datasets}
    return [
        Outcome(one.id, "failed", lost[one.id], FAILED) if one.id in lost else Outcome(one.id, "prepared")
        for one in competitions
    ]
