"""ExperimentRuns of the API server in the form that decisions are made on.

What people ask of an experiment beside its spec is in annotations (`labels.py`). They are written by `mlectl`, but
anybody may write them: one that can't be read is logged and left alone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import yaml
from pydantic import ValidationError

from orchestrator.api.load import SpecError, load
from orchestrator.api.types import API_VERSION, KIND, ExperimentRun, ExperimentRunSpec, ExperimentRunStatus, Metadata
from orchestrator.cluster.experiments import SpecRefused, to_experiment
from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.core.model import Experiment, RunKey

log = logging.getLogger("mlectl.controller")

NOT_HERE = (
    "{namespace} is the controller's own namespace, which has the keys to the answers, so no agent may run there: "
    "create the ExperimentRun in another namespace."
)
NO_GATEWAY = (
    "spec.models: this installation has no model gateway. Leave models out, give the agent its own key with "
    "spec.agent.env, and let it reach its model with spec.network.allow."
)


class ExperimentReader:
    """Reads ExperimentRuns; a spec is parsed once for each of its generations.

    None is served in `system`, the controller's own namespace: an agent there could name the Secrets that hold the keys
    to the answers.
    """

    def __init__(self, system: str, *, has_gateway: bool) -> None:
        self.system = system
        self.has_gateway = has_gateway
        self._specs: dict[str, tuple[int, ExperimentRunSpec]] = {}

    def read(self, item: Object) -> Experiment:
        """The experiment; SpecRefused if it is where no agent may run, or asks for what can't be read or had here."""
        metadata, annotations = Metadata.model_validate(item["metadata"]), item["metadata"].get("annotations") or {}
        status = read_status(item.get("status"))
        unread = ExperimentRun.model_construct(
            metadata=metadata, spec=ExperimentRunSpec.model_construct(), status=status
        )
        if metadata.namespace == self.system:
            raise SpecRefused(to_experiment(unread), [NOT_HERE.format(namespace=self.system)])
        try:
            spec = self._spec(metadata, item["spec"])
        except ValidationError as error:
            raise SpecRefused(to_experiment(unread), why_refused(item, error)) from error
        if spec.models is not None and not self.has_gateway:
            raise SpecRefused(to_experiment(unread), [NO_GATEWAY])
        experiment = to_experiment(
            ExperimentRun(metadata=metadata, spec=spec, status=status),
            cancelled=annotations.get(labels.CANCELLED) == "true",
            retry_after=read_retry(annotations),
        )
        return replace(experiment, retry_asked_at=read_retry_at(annotations))

    def forget_others(self, uids: Collection[str]) -> None:
        """Only these experiments are still there."""
        for uid in self._specs.keys() - set(uids):
            self._specs.pop(uid, None)

    def _spec(self, metadata: Metadata, written: Mapping[str, Any]) -> ExperimentRunSpec:
        known = self._specs.get(metadata.uid)
        if known is None or known[0] != metadata.generation:
            known = self._specs[metadata.uid] = (metadata.generation, ExperimentRunSpec.model_validate(written))
        return known[1]


def read_status(written: Mapping[str, Any] | None) -> ExperimentRunStatus:
    """The status; the empty one where it is not ours to read, since it is derived anew anyway."""
    try:
        return ExperimentRunStatus.model_validate(written or {})
    except ValidationError:
        log.warning("The status can't be read and is written anew.")
        return ExperimentRunStatus()


def read_retry(annotations: Mapping[str, str]) -> dict[RunKey, int]:
    """Runs that a person wants tried again, with the attempt that the wish refers to."""
    written = annotations.get(labels.RETRY)
    if not written:
        return {}
    try:
        wishes = json.loads(written)
        found = ((name.rpartition("/"), attempt) for name, attempt in wishes.items())
        return {RunKey(competition, int(seed)): int(attempt) for (competition, _, seed), attempt in found}
    except (ValueError, TypeError, AttributeError):
        log.warning('The annotation %s is not {"COMPETITION/SEED": ATTEMPT} and is left alone.', labels.RETRY)
        return {}


def read_retry_at(annotations: Mapping[str, str]) -> datetime | None:
    written = annotations.get(labels.RETRY_AT)
    if not written:
        return None
    try:
        asked_at = datetime.fromisoformat(written)
    except ValueError:
        log.warning("The annotation %s is not a time and is left alone.", labels.RETRY_AT)
        return None
    return asked_at if asked_at.tzinfo else asked_at.replace(tzinfo=UTC)


def why_refused(item: Object, error: ValidationError) -> list[str]:
    """Each mistake with its path and what to write, in the words of `mlectl submit`."""
    named = {key: item["metadata"][key] for key in ("name", "namespace")}
    document = {"apiVersion": API_VERSION, "kind": KIND, "metadata": named, "spec": item["spec"]}
    try:
        load(yaml.safe_dump(document))
    except SpecError as mistakes:
        return [f"{mistake.path}: {mistake.message}." for mistake in mistakes.mistakes]
    return [str(error)]
