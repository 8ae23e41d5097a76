"""Who may do what: the person who asks, and the controller's service account."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import Subject
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import Forbidden
from orchestrator.cluster.kubernetes.kinds import Kind, Object
from orchestrator.cluster.kubernetes.labels import GROUP

OWN_REVIEWS = Kind("authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", False)
REVIEWS = Kind("authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", False)
LEASE = "mlectl-controller"


@dataclass(frozen=True)
class Right:
    """One verb on one resource in one namespace (empty: in all)."""

    verb: str
    resource: str
    namespace: str = ""
    group: str = ""
    subresource: str = ""
    name: str = ""

    def __str__(self) -> str:
        what = f"{self.resource}.{self.group}" if self.group else self.resource
        whole = f"{what}/{self.subresource}" if self.subresource else what
        return f"{self.verb} {whole} in {self.namespace or 'all namespaces'}"

    def attributes(self) -> Object:
        named = {"subresource": self.subresource, "name": self.name, "namespace": self.namespace}
        asked = {"verb": self.verb, "group": self.group, "resource": self.resource}
        return {**asked, **{key: value for key, value in named.items() if value}}


def each(verbs: str, resource: str, namespace: str, group: str = "", **more: str) -> Iterator[Right]:
    for verb in verbs.split():
        yield Right(verb, resource, namespace, group, **more)


def to_run(namespace: str) -> list[Right]:
    """What a person needs to run experiments there."""
    return list(each("get list create", "experimentruns", namespace, GROUP))


def to_look_after(namespace: str) -> list[Right]:
    """What more of mlectl's commands need: cancel, suspend, retry, delete, logs."""
    changing = each("patch delete", "experimentruns", namespace, GROUP)
    return [*changing, *each("list", "pods", namespace), *each("get", "pods", namespace, subresource="log")]


def of_controller(system: str, watched: Sequence[str]) -> list[Right]:
    """The chart's Roles (`rbac.yaml`); a test compares."""
    rights = [*_jobs(system), Right("create", "leases", system, "coordination.k8s.io")]
    rights += each("get patch", "leases", system, "coordination.k8s.io", name=LEASE)
    for namespace in watched or ("",):
        rights += each("list watch patch", "experimentruns", namespace, GROUP)
        rights += each("patch", "experimentruns", namespace, GROUP, subresource="status")
        rights += each("create patch", "networkpolicies", namespace, "networking.k8s.io")
        rights += each("create patch", "events", namespace)
        rights += _jobs(namespace)
    return rights


def too_much(system: str, watched: Sequence[str]) -> list[Right]:
    """What a controller must do without: with it, whoever takes it over has every key."""
    return [Right("list", "secrets", namespace) for namespace in (system, *(watched or ("",)))]


def _jobs(namespace: str) -> list[Right]:
    return [*each("list watch create patch delete", "jobs", namespace, "batch"), *each("list watch", "pods", namespace)]


def look_at_own_rights(subject: Subject) -> Iterator[Check]:
    needed, useful = to_run(subject.agents), to_look_after(subject.agents)
    yield judge_own(_denied_to_me(subject.api, needed), _denied_to_me(subject.api, useful), subject.agents)


def look_at_controller_rights(subject: Subject, account: str) -> Iterator[Check]:
    if subject.system is None or subject.settings is None:
        return
    system, watched = subject.system, subject.settings.watch
    try:
        denied = _denied_to(subject.api, system, account, of_controller(system, watched))
        superfluous = too_much(system, watched)
        kept_off = _denied_to(subject.api, system, account, superfluous)
    except Forbidden:
        yield Check(
            "controller's rights",
            "warning",
            "you may not ask what others may do (create subjectaccessreviews.authorization.k8s.io)",
            f"as an administrator: kubectl auth can-i --list --as=system:serviceaccount:{system}:{account}",
        )
        return
    yield judge_controller(denied, [one for one in superfluous if one not in kept_off], account)


def judge_own(needed: Sequence[Right], useful: Sequence[Right], namespace: str) -> Check:
    """From the rights that are missing: those without which nothing runs, and those without which less can be done."""
    name = "your rights"
    advice = "ask whoever runs the cluster for a role with these rights"
    if needed:
        return Check(name, "problem", f"you may not {_listed(needed)}", advice)
    if useful:
        return Check(name, "warning", f"you may run experiments, but not {_listed(useful)}", advice)
    return Check(name, "ok", f"you may run and look after experiments in {namespace}")


def judge_controller(missing: Sequence[Right], superfluous: Sequence[Right], account: str) -> Check:
    name = "controller's rights"
    if missing:
        advice = "bring back the chart's Roles: helm upgrade"
        return Check(name, "problem", f"{account} may not {_listed(missing)}", advice)
    if superfluous:
        advice = "it needs no Secret: find the binding that gives it that, and remove it"
        return Check(name, "warning", f"{account} may {_listed(superfluous)}, which it does not need", advice)
    return Check(name, "ok", f"{account} may do what it has to, and read no Secret")


def _listed(rights: Iterable[Right], most: int = 3) -> str:
    words = [str(right) for right in rights]
    more = f", and {len(words) - most} more" if len(words) > most else ""
    return f"{', '.join(words[:most])}{more}"


def _denied_to_me(api: Api, rights: Sequence[Right]) -> list[Right]:
    return [right for right in rights if not _allowed(api, OWN_REVIEWS, right, {})]


def _denied_to(api: Api, namespace: str, account: str, rights: Sequence[Right]) -> list[Right]:
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"]
    who = {"user": f"system:serviceaccount:{namespace}:{account}", "groups": groups}
    return [right for right in rights if not _allowed(api, REVIEWS, right, who)]


def _allowed(api: Api, kind: Kind, right: Right, who: Object) -> bool:
    spec = {**who, "resourceAttributes": right.attributes()}
    review = api.create(kind, None, {"apiVersion": kind.api_version, "kind": kind.name, "spec": spec})
    return bool(review["status"]["allowed"])
