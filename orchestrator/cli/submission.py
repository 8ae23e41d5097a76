"""What `mlectl submit` does: look at the experiment before the cluster does, and never change one that is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orchestrator.api.changes import CHANGEABLE, key_of
from orchestrator.api.key import Key
from orchestrator.api.types import API_VERSION, KIND, ExperimentRun, ExperimentRunSpec
from orchestrator.cli.exits import FAILED, USAGE, Trouble
from orchestrator.cli.there import There
from orchestrator.controller.facts import known_competitions
from orchestrator.core.expand import expand


@dataclass(frozen=True)
class Submitted:
    """An experiment that is on a cluster now."""

    run: ExperimentRun
    cluster: str
    competitions: int
    is_new: bool
    """False: it was there already, the same as this one."""


def submit(wanted: ExperimentRun, there: There, namespace: str | None) -> Submitted:
    """Create the experiment; fine if the same one is there, Trouble if another has its name."""
    expansion = expand(wanted.spec, known_competitions())
    if expansion.problems:
        raise Trouble("\n".join(expansion.problems), USAGE)
    key = Key(_namespace(wanted, there, namespace), wanted.metadata.name)
    made = there.create(_body(wanted, key))
    run = made or there.get(key)
    if run is None:
        raise Trouble(f"{key} was there and is gone again; submit it once more.", FAILED)
    if run.metadata.deletion_timestamp:
        raise Trouble(f"An experiment {key} is being deleted just now; submit this one when it is gone.", FAILED)
    if made is None:
        _must_be_same(run.spec, wanted.spec, key, there)
    return Submitted(run, there.label, len(expansion.competitions), is_new=made is not None)


def _namespace(wanted: ExperimentRun, there: There, asked: str | None) -> str:
    """As kubectl: the file's own, else the flag's or the context's; the file and the flag may not differ."""
    if "namespace" not in wanted.metadata.model_fields_set:
        return there.namespace
    written = wanted.metadata.namespace
    if asked is not None and asked != written:
        raise Trouble(f"The file says namespace {written} and -n says {asked}; leave one of them out.", USAGE)
    return written


def _body(wanted: ExperimentRun, key: Key) -> dict[str, Any]:
    """What was written, and nothing that was not: the API server fills in the same defaults."""
    spec = wanted.spec.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_unset=True)
    metadata = {
        "name": key.name,
        "namespace": key.namespace,
        "labels": wanted.metadata.labels,
        "annotations": wanted.metadata.annotations,
    }
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": metadata, "spec": spec}


def _must_be_same(there_is: ExperimentRunSpec, wanted: ExperimentRunSpec, key: Key, there: There) -> None:
    differing = [name for name in ExperimentRunSpec.model_fields if getattr(there_is, name) != getattr(wanted, name)]
    if not differing:
        return
    keys = ", ".join(f"spec.{key_of(name)}" for name in differing)
    if set(differing) <= set(CHANGEABLE):
        what = "These may change while it runs: kubectl apply --server-side --force-conflicts -f FILE"
    else:
        what = f"Submit it under another name; `mlectl status {key}` shows the one that is there."
    raise Trouble(f"{key} is on the cluster {there.label} already, with another spec: {keys}. {what}", USAGE)
