"""NetworkPolicies that others made in the experiments' namespace. Policies add up: where one of them selects an agent's
pod, the agent reaches what it allows too, and the canary that a run is tried on need not be among it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import Subject, name_of
from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import NETWORK_POLICIES, Object
from orchestrator.core.model import Role

NAME = "others' policies"
OF_EVERY_AGENT: Mapping[str, frozenset[str]] = {
    labels.MANAGED_BY: frozenset({labels.MLECTL}),
    labels.ROLE: frozenset({Role.AGENT.value}),
    labels.NETWORK: frozenset({"restricted", "none"}),
}
"""Labels of the pods that a policy holds, with the values that they have."""
OF_SOME_AGENT = {
    labels.EXPERIMENT,
    labels.EXPERIMENT_UID,
    labels.EXPERIMENT_NAMESPACE,
    labels.COMPETITION,
    labels.SEED,
    labels.ATTEMPT,
    "batch.kubernetes.io/job-name",
    "batch.kubernetes.io/controller-uid",
    "job-name",
    "controller-uid",
}
"""Labels that they all have, each with a value of its own."""
LEAVE_OUT = f"podSelector: {{matchExpressions: [{{key: {labels.ROLE}, operator: DoesNotExist}}]}}"


def look_at_policies(subject: Subject) -> Iterator[Check]:
    if subject.settings is None:
        return
    yield judge_policies(subject.api.list(NETWORK_POLICIES, subject.agents).items, subject.agents)


def judge_policies(policies: Sequence[Object], namespace: str) -> Check:
    """A warning: what such a policy allows may be what somebody wants agents to have."""
    wide = sorted(name_of(policy) for policy in policies if not _is_ours(policy) and _widens(policy["spec"]))
    if not wide:
        return Check(NAME, "ok", f"none in {namespace} lets an agent's pod reach more than its own")
    told = (
        f"policies add up, and in {namespace} agents' pods may reach what these allow too: {', '.join(wide)}; "
        "no probe sees that"
    )
    advice = f"see kubectl -n {namespace} describe networkpolicy; delete them, or have each leave agents out:\n"
    return Check(NAME, "warning", told, f"{advice}{LEAVE_OUT}")


def _is_ours(policy: Object) -> bool:
    marked = policy["metadata"].get("labels") or {}
    return marked.get(labels.MANAGED_BY) == labels.MLECTL and labels.EXPERIMENT_UID in marked


def _widens(spec: Object) -> bool:
    """A policy about egress without a rule allows nothing, and nothing is added."""
    return bool("Egress" in spec.get("policyTypes", ["Egress"]) and spec.get("egress") and _may_select(spec))


def _may_select(spec: Object) -> bool:
    """Whether there can be an agent's pod that it selects."""
    selector = spec.get("podSelector") or {}
    pairs = (selector.get("matchLabels") or {}).items()
    wanted = [{"key": key, "operator": "In", "values": [value]} for key, value in pairs]
    return all(_may_hold(one) for one in (*wanted, *(selector.get("matchExpressions") or ())))


def _may_hold(wanted: Object) -> bool:
    key, values = wanted["key"], set(wanted.get("values") or ())
    has = OF_EVERY_AGENT.get(key, frozenset())
    match wanted["operator"]:
        case "In":
            return key in OF_SOME_AGENT or not has.isdisjoint(values)
        case "NotIn":
            return not has or not has <= values
        case "Exists":
            return key in OF_SOME_AGENT or bool(has)
        case _:  # DoesNotExist
            return key not in OF_SOME_AGENT and not has
