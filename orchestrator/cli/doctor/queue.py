"""Kueue: whether the queue that admits agents is there, and whether its quota has room for one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal

from orchestrator.api.types import Resources, parse_quantity
from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import Cluster, Subject
from orchestrator.cluster.kubernetes.connection import read_all
from orchestrator.cluster.kubernetes.kinds import Kind, Object

GROUP = "kueue.x-k8s.io"
NAME = "queue"
DISK = "ephemeral-storage"


def look_at_queue(subject: Subject) -> Iterator[Check]:
    wanted, version = subject.placement.queue, served_version(subject.cluster)
    if not wanted or not version:
        yield judge_use(wanted, version)
        return
    local = subject.api.get(Kind(GROUP, version, "localqueues", "LocalQueue"), subject.agents, wanted)
    above = str((local or {}).get("spec", {}).get("clusterQueue", ""))
    whole = (
        subject.api.get(Kind(GROUP, version, "clusterqueues", "ClusterQueue", False), None, above) if above else None
    )
    yield judge_queue(wanted, subject.agents, local, whole, subject.spec.resources, subject.spec.parallelism)


def served_version(cluster: Cluster) -> str:
    """The version of Kueue's API that the server prefers; empty: it has none."""
    answer = cluster.connection.ask("GET", "/apis", "get /apis", seconds=5.0)
    groups = json.loads(read_all(answer, cluster.connection.server, "get /apis"))["groups"]
    return next((str(one["preferredVersion"]["version"]) for one in groups if one["name"] == GROUP), "")


def judge_use(wanted: str | None, version: str) -> Check:
    """Where there is no queue, or nothing that would serve one."""
    if not wanted:
        return Check(NAME, "ok", "not used: agents' Jobs start as soon as there is a node")
    told = f"agents' Jobs wait for the queue {wanted}, but the cluster has no Kueue: they would wait for ever"
    return Check(NAME, "problem", told, "install Kueue, or leave out agents.queue and spec.placement.queue")


def judge_queue(
    name: str, namespace: str, local: Object | None, whole: Object | None, wanted: Resources, parallelism: int
) -> Check:
    """From the LocalQueue and its ClusterQueue: how many runs the quota has room for at once."""
    if local is None:
        told = f"there is no LocalQueue {name} in {namespace}: agents' Jobs would wait for ever"
        return Check(NAME, "problem", told, "create it there, or choose another with spec.placement.queue")
    above = local["spec"]["clusterQueue"]
    if whole is None:
        return Check(NAME, "problem", f"{name} belongs to ClusterQueue {above}, which is not there", "create it")
    policies = {local["spec"].get("stopPolicy"), whole["spec"].get("stopPolicy")} - {None, "None"}
    if policies:
        return Check(NAME, "problem", f"{name} is stopped ({', '.join(sorted(map(str, policies)))})", "let it go again")
    quota, needs = quota_of(whole), _needs(wanted)
    rooms = {one: int(quota[one] // need) for one, need in needs.items() if one in quota and need}
    uncovered = sorted(set(needs) - set(quota))
    if uncovered:
        told = f"{above} has no quota of {', '.join(uncovered)}, so it admits no Job that asks for it"
        return Check(NAME, "problem", told, "add these resources to its resourceGroups")
    tightest = min(rooms, key=lambda one: rooms[one])
    room = rooms[tightest]
    if room == 0:
        told = f"the quota of {above} has too little {tightest} for one run: {quota[tightest]:f} of {needs[tightest]:f}"
        return Check(NAME, "problem", told, "raise its nominalQuota, or ask for less with spec.resources")
    told = f"the quota of {above} has room for {room} runs at once"
    if DISK not in quota:
        told = f"{told}, but it has no quota of {DISK}, which agents' pods ask for"
        return Check(NAME, "warning", told, "add it to its resourceGroups, or exclude it in Kueue's configuration")
    if parallelism and room < parallelism:
        return Check(NAME, "warning", f"{told}, and spec.parallelism asks for {parallelism}", "the others wait")
    return Check(NAME, "ok", told)


def quota_of(whole: Object) -> dict[str, Decimal]:
    """What a ClusterQueue may give, summed over its flavours; what it could borrow does not count."""
    sums: dict[str, Decimal] = {}
    for group in whole["spec"].get("resourceGroups", ()):
        for flavor in group["flavors"]:
            for one in flavor["resources"]:
                sums[one["name"]] = sums.get(one["name"], Decimal(0)) + parse_quantity(str(one["nominalQuota"]))
    return sums


def _needs(wanted: Resources) -> Mapping[str, Decimal]:
    gpu = {wanted.gpu.resource: Decimal(wanted.gpu.count)} if wanted.gpu.count else {}
    needs = {"cpu": parse_quantity(wanted.cpu), "memory": parse_quantity(wanted.memory), **gpu}
    return {name: need for name, need in needs.items() if need}
