"""The cache of datasets: whether pods on every node can have its volume at once."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import Subject
from orchestrator.cluster.kubernetes.errors import Forbidden
from orchestrator.cluster.kubernetes.kinds import Kind, Object

NAME = "dataset cache"
CLAIMS = Kind("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim")
VOLUMES = Kind("", "v1", "persistentvolumes", "PersistentVolume", namespaced=False)
MANY = "ReadWriteMany"
ADVICE = "make the volume and the claim as in manifests/cache, or leave agents.cache.claim empty"


def look_at_cache(subject: Subject) -> Iterator[Check]:
    if subject.settings is None:
        return
    name = subject.settings.agents.cache.claim
    if not name:
        yield Check(NAME, "ok", "not used: every agent's pod fetches its dataset from the store")
        return
    claim = subject.api.get(CLAIMS, subject.agents, name)
    yield judge_cache(name, subject.agents, claim, _volume_of(subject, claim))


def judge_cache(name: str, namespace: str, claim: Object | None, volume: Object | None) -> Check:
    """From the claim and its volume, None if that is not bound or may not be read."""
    if claim is None:
        told = f"there is no PersistentVolumeClaim {name} in {namespace}: agents' pods would wait for ever"
        return Check(NAME, "problem", told, ADVICE)
    if MANY not in claim["spec"]["accessModes"]:
        told = f"{name} is not {MANY}: agents on one node have it, those on others wait for ever"
        return Check(NAME, "warning", told, ADVICE)
    if volume and volume["spec"].get("nodeAffinity"):
        told = f"{name} is bound to {volume['metadata']['name']}, which some nodes alone have: no agent runs elsewhere"
        return Check(NAME, "warning", told, ADVICE)
    return Check(NAME, "ok", f"{name} in {namespace}")


def _volume_of(subject: Subject, claim: Object | None) -> Object | None:
    bound = (claim or {}).get("spec", {}).get("volumeName")
    try:
        return subject.api.get(VOLUMES, None, bound) if bound else None
    except Forbidden:
        return None
