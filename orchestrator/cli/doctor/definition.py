"""Whether the cluster's definition of ExperimentRun is the one that this mlectl knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orchestrator.api.crd import custom_resource_definition
from orchestrator.cli.cluster_errors import INSTALL
from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import DEFINITIONS, Subject
from orchestrator.cluster.kubernetes.kinds import Object


def look_at_definition(subject: Subject) -> Iterator[Check]:
    ours = custom_resource_definition()
    yield judge_definition(subject.api.get(DEFINITIONS, None, ours["metadata"]["name"]), ours)


def judge_definition(found: Object | None, ours: Object) -> Check:
    """A field that the cluster's definition lacks is dropped without a word, so a difference is a problem.

    Differences of descriptions are none.
    """
    name = "definition"
    if found is None:
        return Check(name, "problem", "the cluster does not know ExperimentRuns", f"install the definition: {INSTALL}")
    wanted = ours["spec"]["versions"][0]
    served = {one["name"]: one for one in found["spec"]["versions"] if one["served"]}
    if wanted["name"] not in served:
        has = ", ".join(sorted(served)) or "none"
        told = f"ExperimentRun {wanted['name']} is not served (served: {has})"
        return Check(name, "problem", told, f"install this version's definition: {INSTALL}")
    conditions = {one["type"]: one["status"] for one in found.get("status", {}).get("conditions", ())}
    if conditions.get("Established") != "True":
        return Check(name, "problem", "ExperimentRun is defined but not established", "see `kubectl describe crd`")
    place = first_difference(served[wanted["name"]]["schema"]["openAPIV3Schema"], wanted["schema"]["openAPIV3Schema"])
    if place:
        told = f"the cluster's ExperimentRun differs from this mlectl's, first at {place}"
        return Check(
            name, "problem", told, f"install this version's definition ({INSTALL}), or use the cluster's mlectl"
        )
    return Check(name, "ok", f"ExperimentRun {wanted['name']}, as this mlectl has it")


def first_difference(theirs: Any, ours: Any, path: str = "") -> str:
    """Where two schemas differ first, such as spec.agent.resume; empty if they do not."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted({*theirs, *ours}):
            if key == "description" and not isinstance(theirs.get(key, ours.get(key)), dict):
                continue
            below = path if key in ("properties", "items") else f"{path}.{key}".lstrip(".")
            if key not in theirs or key not in ours:
                return below or str(key)
            if place := first_difference(theirs[key], ours[key], below):
                return place
        return ""
    return "" if theirs == ours else path or "its root"
