"""The Pod Security profile of the experiments' namespace: what the API server itself holds agents' pods to."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import Subject, name_of
from orchestrator.cluster.kubernetes.errors import NotFound
from orchestrator.cluster.kubernetes.kinds import Kind, Object

NAME = "pod security"
NAMESPACES = Kind("", "v1", "namespaces", "Namespace", namespaced=False)
ENFORCE, RESTRICTED = "pod-security.kubernetes.io/enforce", "restricted"


def look_at_pod_security(subject: Subject) -> Iterator[Check]:
    if subject.settings is None:
        return
    found = subject.api.get(NAMESPACES, None, subject.agents)
    if found is None:
        raise NotFound(404, "NotFound", f"there is no namespace {subject.agents}")
    yield judge_pod_security(found)


def judge_pod_security(namespace: Object) -> Check:
    """Our pods keep the profile by themselves; the label sees to it that all others there do."""
    name, level = name_of(namespace), (namespace["metadata"].get("labels") or {}).get(ENFORCE)
    if level == RESTRICTED:
        return Check(NAME, "ok", f"{name} enforces the profile {RESTRICTED}")
    told = f"{name} enforces {f'the profile {level}' if level else 'no profile by a label'}, and not {RESTRICTED}"
    advice = f"kubectl label --overwrite namespace {name} {ENFORCE}={RESTRICTED}"
    return Check(NAME, "warning", f"{told}: a pod there may be more than an agent's", advice)
