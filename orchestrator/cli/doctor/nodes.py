"""Whether there is a node that an agent fits on, and one for the largest preparation: the size of nodes after what they
and their daemons keep for themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from orchestrator.api.types import Gpu, Placement, Resources, Toleration, parse_quantity
from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import CONFIG_MAPS, NODES, Subject, name_of
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import ApiError, Forbidden
from orchestrator.cluster.kubernetes.jobs import prepare_share
from orchestrator.cluster.kubernetes.kinds import PODS, Kind, Object
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.controller.facts import known_competitions
from orchestrator.core.model import CompetitionFacts

MIB = 2**20
NODE_POOLS = Kind("karpenter.sh", "v1", "nodepools", "NodePool", namespaced=False)
AUTOSCALER_STATUS = ("kube-system", "cluster-autoscaler-status")
GIB = 1 << 30
Amounts = Mapping[str, Decimal]


@dataclass(frozen=True)
class Node:
    """A node as the scheduler sees it."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()
    is_ready: bool = True
    is_cordoned: bool = False
    has: Amounts = field(default_factory=dict)
    """Allocatable, less what pods of DaemonSets ask for."""

    @classmethod
    def of(cls, item: Object, daemons: Amounts) -> Node:
        status, spec = item.get("status", {}), item.get("spec", {})
        ready = any(one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions", ()))
        allocatable = {name: parse_quantity(text) for name, text in status.get("allocatable", {}).items()}
        has = {name: amount - daemons.get(name, Decimal(0)) for name, amount in allocatable.items()}
        labels, taints = item["metadata"].get("labels", {}), spec.get("taints", ())
        return cls(name_of(item), labels, taints, ready, bool(spec.get("unschedulable")), has)


@dataclass(frozen=True)
class Fleet:
    """All nodes, and whether the cluster makes more of them when pods wait."""

    nodes: Sequence[Node]
    can_grow: bool = False
    daemons_known: bool = True

    def fitting(self, wanted: Resources, placement: Placement) -> list[Node]:
        return [node for node in self.nodes if not why_not(node, wanted, placement)]


def look_at_fleet(api: Api) -> Fleet:
    try:
        pods, known = api.list(PODS, trim=_requests_alone).items, True
    except Forbidden:
        pods, known = [], False
    daemons = daemon_requests(pods)
    nodes = [Node.of(item, daemons.get(name_of(item), {})) for item in api.list(NODES).items]
    return Fleet(nodes, _can_grow(api), known)


def look_at_nodes(subject: Subject, fleet: Fleet) -> Iterator[Check]:
    yield judge_nodes(fleet, subject.spec.resources, subject.placement, subject.spec.parallelism)
    if subject.settings is not None:
        known = known_competitions()
        wanted = [known[name] for name in subject.competitions if name in known]
        if wanted:
            yield judge_preparing(fleet, max(wanted, key=lambda one: one.size_gb), subject.settings)


def judge_nodes(fleet: Fleet, wanted: Resources, placement: Placement, parallelism: int) -> Check:
    """Whether one run fits, and how many at once."""
    name, need = "nodes", describe(wanted)
    fitting = fleet.fitting(wanted, placement)
    if fitting:
        count = len(fitting)
        note = "" if fleet.daemons_known else "; what DaemonSets use there is not known, as you may not list pods"
        told = f"{count} of {len(fleet.nodes)} nodes {'has' if count == 1 else 'have'} room for {need}{note}"
        if parallelism and count < parallelism and not fleet.can_grow:
            advice = f"nothing, if you have time: spec.parallelism asks for {parallelism} at once"
            return Check(name, "ok", told, advice)
        return Check(name, "ok", told)
    if fleet.can_grow:
        told = f"no node has room for {need} now, but the cluster can make more"
        advice = "bring up one node of the pool that is meant for agents, and look again before the experiment does"
        return Check(name, "warning", told, advice)
    nearest = min(fleet.nodes, key=lambda node: _distance(node, wanted, placement), default=None)
    if nearest is None:
        return Check(name, "problem", "the cluster has no nodes", "add nodes for agents")
    reasons = "; ".join(why_not(nearest, wanted, placement))
    advice = (
        "add such nodes, or write what they have into spec.resources and spec.placement (it is printed as a departure)"
    )
    return Check(name, "problem", f"no node has room for {need}; {nearest.name} comes nearest: {reasons}", advice)


def judge_preparing(fleet: Fleet, largest: CompetitionFacts, settings: Settings) -> Check:
    """Whether the Job that prepares the largest competition fits: the others ask for less."""
    share, how = prepare_share(settings, largest.size_gb), settings.prepare
    need = Resources(
        cpu=share.written()["requests"]["cpu"],
        memory=f"{math.ceil(share.memory / MIB)}Mi",
        storage=f"{math.ceil(share.storage / MIB)}Mi",
        gpu=Gpu.model_validate({"count": 0}),
    )
    placement = Placement(
        node_selector=dict(how.node_selector), tolerations=tuple(map(Toleration.model_validate, how.tolerations))
    )
    told = f"to prepare {largest.id}, the largest ({describe(need)})"
    if fitting := fleet.fitting(need, placement):
        return Check("preparing", "ok", f"{fitting[0].name} has room {told}")
    advice = (
        "add a node with so much disk and memory that workers.nodeSelector chooses, prepare it elsewhere, "
        "or leave it out; once it is prepared this does not matter"
    )
    more = " now, but the cluster can make more" if fleet.can_grow else ""
    return Check("preparing", "warning", f"no node has room {told}{more}", advice)


def why_not(node: Node, wanted: Resources, placement: Placement) -> list[str]:
    """Every reason why an agent's pod would not go there."""
    reasons = [
        f"it lacks the label {key}={value}"
        for key, value in placement.node_selector.items()
        if node.labels.get(key) != value
    ]
    reasons += [
        f"its taint {taint['key']}:{taint['effect']} is not tolerated"
        for taint in node.taints
        if taint["effect"] != "PreferNoSchedule" and not any(_tolerates(one, taint) for one in placement.tolerations)
    ]
    if not node.is_ready:
        reasons.append("it is not ready")
    if node.is_cordoned:
        reasons.append("it is cordoned")
    return [*reasons, *_too_small(node, wanted)]


def _too_small(node: Node, wanted: Resources) -> Iterator[str]:
    for name, need in _needs(wanted).items():
        has = node.has.get(name, Decimal(0))
        if has < need:
            yield f"{_amount(name, has)} of {_amount(name, need)}"


def daemon_requests(pods: Iterable[Object]) -> dict[str, dict[str, Decimal]]:
    """What pods of DaemonSets ask for, by node: it is gone on every node, whatever else runs there."""
    sums: dict[str, dict[str, Decimal]] = {}
    for pod in pods:
        node = pod["spec"].get("nodeName")
        owners = pod["metadata"].get("ownerReferences", ())
        if not node or not any(owner["kind"] == "DaemonSet" for owner in owners):
            continue
        used = sums.setdefault(node, {})
        for container in pod["spec"]["containers"]:
            for name, text in container.get("resources", {}).get("requests", {}).items():
                used[name] = used.get(name, Decimal(0)) + parse_quantity(text)
    return sums


def describe(wanted: Resources) -> str:
    return ", ".join(_amount(name, need) for name, need in _needs(wanted).items())


def _needs(wanted: Resources) -> dict[str, Decimal]:
    gpu = {wanted.gpu.resource: Decimal(wanted.gpu.count)} if wanted.gpu.count else {}
    return {
        "cpu": parse_quantity(wanted.cpu),
        "memory": parse_quantity(wanted.memory),
        "ephemeral-storage": parse_quantity(wanted.storage),
        **gpu,
    }


def _amount(name: str, number: Decimal) -> str:
    match name:
        case "cpu":
            return f"{number.normalize():f} CPUs"
        case "memory":
            return f"{number / GIB:.4g} GiB of memory"
        case "ephemeral-storage":
            return f"{number / GIB:.4g} GiB of disk"
    return f"{number:f} {name}"


def _distance(node: Node, wanted: Resources, placement: Placement) -> tuple[int, Decimal]:
    """Fewer reasons are nearer; then, less that is missing."""
    lacking = (
        1 - min(Decimal(1), node.has.get(name, Decimal(0)) / need) for name, need in _needs(wanted).items() if need
    )
    return len(why_not(node, wanted, placement)), sum(lacking, Decimal(0))


def _tolerates(one: Toleration, taint: Mapping[str, str]) -> bool:
    if one.effect and one.effect != taint["effect"]:
        return False
    if one.operator == "Exists":
        return one.key is None or one.key == taint["key"]
    return one.key == taint["key"] and (one.value or "") == taint.get("value", "")


def _requests_alone(pod: Object) -> Object:
    """What is needed of a pod: a cluster may have tens of thousands."""
    spec = {"nodeName": pod["spec"].get("nodeName"), "containers": pod["spec"]["containers"]}
    owners = pod["metadata"].get("ownerReferences", ())
    is_daemon = any(owner["kind"] == "DaemonSet" for owner in owners)
    return {"metadata": {"ownerReferences": owners}, "spec": spec if is_daemon else {"containers": []}}


def _can_grow(api: Api) -> bool:
    """Karpenter's pools, or the word of a cluster autoscaler."""
    try:
        if api.list(NODE_POOLS).items:
            return True
    except ApiError:
        pass
    try:
        return api.get(CONFIG_MAPS, *AUTOSCALER_STATUS) is not None
    except ApiError:
        return False
