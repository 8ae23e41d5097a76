"""A cluster as a place of experiments: one API server, one namespace unless a name says another."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime, timedelta

from pydantic import ValidationError

from orchestrator.api.key import Key
from orchestrator.api.types import ExperimentRun
from orchestrator.cli.choosing_runs import missing_rows
from orchestrator.cli.cluster_errors import explained
from orchestrator.cli.cluster_store import open_runs
from orchestrator.cli.exits import FAILED, UNREACHABLE, USAGE, Trouble
from orchestrator.cli.output import tell
from orchestrator.cli.place import key_of
from orchestrator.cli.pod_log import PodLog
from orchestrator.cli.where import Where
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import AlreadyExists, Conflict, Invalid, NotFound
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, Object
from orchestrator.cluster.kubernetes.kubeconfig import find_target
from orchestrator.cluster.kubernetes.labels import CANCELLED, DELETE_RESULTS, RESULTS_FINALIZER, RETRY, RETRY_AT
from orchestrator.core.model import AttemptKey, RunKey
from orchestrator.report.words import count
from orchestrator.storage.store import Store

UNSEEN_FOR = timedelta(seconds=30)
"""So long a controller may take to look at a new experiment before a person is told."""
CHANGES_TRIED = 5


class There:
    """The ExperimentRuns of a namespace."""

    start = "mlectl submit FILE"
    can_retry = True
    look_seconds = 1.0

    def __init__(self, api: Api, label: str, namespace: str) -> None:
        self.api = api
        self.label = label
        self.namespace = namespace

    @classmethod
    def connect(cls, where: Where) -> There:
        """By kubectl's conventions; BadKubeconfig if there is no cluster to talk to. Nothing is sent yet."""
        target = find_target(where.kubeconfig, where.context)
        api = Api.connect(where.kubeconfig, where.context)
        return cls(api, target.context or "in-cluster", where.namespace or target.namespace)

    def within(self, seconds: float) -> There:
        """The same with less patience."""
        return There(self.api.within(seconds), self.label, self.namespace)

    def all(self) -> list[ExperimentRun]:
        """All that this version can read; of the others is told."""
        with self._explained("list"):
            items = self.api.list(EXPERIMENTS, self.namespace).items
        found = []
        for item in items:
            try:
                found.append(_read(item))
            except Trouble as trouble:
                tell(f"mlectl: {trouble}")
        return found

    def get(self, key: Key) -> ExperimentRun | None:
        with self._explained("get", key.namespace):
            found = self.api.get(EXPERIMENTS, key.namespace, key.name)
        return _read(found) if found else None

    def create(self, body: Object) -> ExperimentRun | None:
        """The new experiment; None if there is one of that name."""
        namespace = body["metadata"]["namespace"]
        with self._explained("create", namespace):
            try:
                return _read(self.api.create(EXPERIMENTS, namespace, body))
            except AlreadyExists:
                return None

    def store(self, run: ExperimentRun) -> Store:
        return open_runs(run)

    def log(self, run: ExperimentRun, key: AttemptKey) -> PodLog:
        return PodLog(self.api, self.label, run, key)

    def is_unprotected(self, run: ExperimentRun) -> bool:
        """Never: an agent here has a pod of its own."""
        return False

    def idle(self, run: ExperimentRun) -> str:
        metadata, status = run.metadata, run.status
        if metadata.deletion_timestamp:
            return "note: it is being deleted, its results first"
        if status.phase.is_finished:
            return ""
        if metadata.annotations.get(CANCELLED) == "true":
            return "note: it is being cancelled"
        if run.spec.suspend:
            return f"next: mlectl resume {key_of(run)} goes on with it; it is suspended"
        age = datetime.now(UTC) - (metadata.creation_timestamp or datetime.now(UTC))
        if status.observed_generation or age < UNSEEN_FOR:
            return ""
        return f"note: no controller has looked at it yet; is mlectl's controller running on {self.label}?"

    def cancel(self, run: ExperimentRun) -> str:
        self._must_go_on(run, "cancel")
        self._patch(run, {"metadata": {"annotations": {CANCELLED: "true"}}})
        return f"{key_of(run)} is being cancelled: its agents are stopped, and what they left is still graded."

    def suspend(self, run: ExperimentRun) -> str:
        self._must_go_on(run, "suspend")
        if run.spec.suspend:
            return f"{key_of(run)} is suspended already; go on with: mlectl resume {key_of(run)}"
        self._patch(run, {"spec": {"suspend": True}})
        return (
            f"{key_of(run)} is being suspended: its agents end with a snapshot. Go on with: mlectl resume {key_of(run)}"
        )

    def resume(self, run: ExperimentRun) -> str:
        self._must_go_on(run, "resume")
        if not run.spec.suspend:
            return f"{key_of(run)} is not suspended."
        self._patch(run, {"spec": {"suspend": False}})
        return f"{key_of(run)} goes on."

    def retry(self, run: ExperimentRun, attempts: Mapping[RunKey, int]) -> str:
        if run.metadata.annotations.get(CANCELLED) == "true":
            _must_want_all(run, attempts)
        wishes = {f"{one.competition}/{one.seed}": attempt for one, attempt in attempts.items()}

        def change(metadata: Object) -> Object:
            earlier = _wishes(metadata.get("annotations", {}).get(RETRY, "{}"))
            wanted = json.dumps({**earlier, **wishes}, sort_keys=True)
            now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
            return {"annotations": {RETRY: wanted, RETRY_AT: now, CANCELLED: None}}

        self._change_metadata(run, change)
        return f"{count(len(wishes), 'run')} of {key_of(run)} will be tried again."

    def delete(self, run: ExperimentRun, *, results: bool) -> str:
        key = key_of(run)
        if results:
            self._bind_results(run)
        with self._explained("delete", key.namespace):
            there = self.api.delete(EXPERIMENTS, key.namespace, key.name, uid=run.metadata.uid)
        if not there:
            return f"{key} is gone already."
        return f"Deleted {key}; its results {'go too' if results else 'stay in the store'}."

    def _bind_results(self, run: ExperimentRun) -> None:
        """Have the controller delete the results before the experiment goes."""

        def change(metadata: Object) -> Object:
            finalizers = sorted({*metadata.get("finalizers", ()), RESULTS_FINALIZER})
            return {"annotations": {DELETE_RESULTS: "true"}, "finalizers": finalizers}

        self._change_metadata(run, change)

    def _change_metadata(self, run: ExperimentRun, change: Callable[[Object], Object]) -> None:
        """Change it on the ground of what it is: somebody else may be writing at the same time, so more than once."""
        key = key_of(run)
        for _ in range(CHANGES_TRIED):
            with self._explained("get", key.namespace):
                found = self.api.get(EXPERIMENTS, key.namespace, key.name)
            if found is None or found["metadata"]["uid"] != run.metadata.uid:
                raise Trouble(f"{key} was deleted meanwhile.", FAILED)
            metadata = found["metadata"]
            with suppress(Conflict), self._explained("patch", key.namespace):
                wanted = {**change(metadata), "resourceVersion": metadata["resourceVersion"]}
                self.api.patch(EXPERIMENTS, key.namespace, key.name, {"metadata": wanted})
                return
        raise Trouble(f"{key} changes all the time; try again.", FAILED)

    def _must_go_on(self, run: ExperimentRun, verb: str) -> None:
        if run.status.phase.is_finished:
            raise Trouble(f"{key_of(run)} has finished ({run.status.phase}): there is nothing to {verb}.", USAGE)

    def _patch(self, run: ExperimentRun, change: Object) -> None:
        """Change this very experiment, and not another one that has its name by now."""
        key = key_of(run)
        wanted = {**change, "metadata": {**change.get("metadata", {}), "uid": run.metadata.uid}}
        with self._explained("patch", key.namespace):
            try:
                self.api.patch(EXPERIMENTS, key.namespace, key.name, wanted)
            except (NotFound, Invalid) as error:
                if isinstance(error, Invalid) and "metadata.uid" not in error.message:
                    raise
                raise Trouble(f"{key} was deleted meanwhile.", FAILED) from None

    def _explained(self, verb: str, namespace: str | None = None) -> AbstractContextManager[None]:
        return explained(self.label, verb, EXPERIMENTS, namespace or self.namespace)


def _read(item: Object) -> ExperimentRun:
    try:
        return ExperimentRun.model_validate(item)
    except ValidationError as error:
        metadata, first = item["metadata"], error.errors()[0]
        path = ".".join(map(str, first["loc"]))
        raise Trouble(
            f"{metadata['namespace']}/{metadata['name']} has what this version of mlectl does not know "
            f"({path}: {first['msg']}); use the version that the cluster has.",
            UNREACHABLE,
        ) from None


def _must_want_all(run: ExperimentRun, wanted: Collection[RunKey]) -> None:
    """A cancellation is taken back for all runs or for none: otherwise one command would start more than it says."""
    key = key_of(run)
    if not run.status.phase.is_finished:
        raise Trouble(f"{key} is being cancelled; once it has ended, its runs can be tried again.", USAGE)
    missing = {RunKey(row.competition, row.seed) for row in missing_rows(run.status)}
    if not missing <= set(wanted):
        raise Trouble(
            f"{key} was cancelled, and only all {count(len(missing), 'run')} that it left out can be tried again, "
            f"with: mlectl retry {key}. For a part of them, submit an experiment with another name.",
            USAGE,
        )


def _wishes(told: str) -> dict[str, int]:
    """Wishes from before; what somebody mistyped there is dropped."""
    try:
        found = json.loads(told)
    except ValueError:
        return {}
    return {key: value for key, value in found.items() if isinstance(value, int)} if isinstance(found, dict) else {}
