"""Versions of Kubernetes: the API server's, and those of the nodes' kubelets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

from orchestrator.cli.doctor.check import Check
from orchestrator.cli.doctor.subject import NODES, Cluster, Subject, name_of
from orchestrator.cluster.kubernetes.connection import read_all
from orchestrator.cluster.kubernetes.errors import Unavailable

SERVER_NEEDED = (1, 31)
"""podFailurePolicy is there for good since then; the chart asks for the same."""
KUBELET_NEEDED = (1, 29)
"""The courier is a native sidecar, which older kubelets would wait for as for any init container: for ever."""
ANSWER_SECONDS = 5.0


def look_at_versions(subject: Subject) -> Iterator[Check]:
    yield judge_server(server_version(subject.cluster))
    nodes = subject.api.list(NODES).items
    yield judge_kubelets({name_of(node): _kubelet(node) for node in nodes})


def server_version(cluster: Cluster) -> str:
    """Such as v1.34.4."""
    return _ask(cluster)[0]


def server_time(cluster: Cluster) -> float:
    """The API server's own clock, to the second."""
    return _ask(cluster)[1]


def judge_server(version: str) -> Check:
    if _number(version) is None:
        return Check("kubernetes", "warning", f"the API server calls its version {version!r}", f"needed: {_needed()}")
    if (_number(version) or ()) < SERVER_NEEDED:
        return Check("kubernetes", "problem", f"the API server has {version}", f"upgrade the cluster to {_needed()}")
    return Check("kubernetes", "ok", f"the API server has {version}")


def judge_kubelets(versions: Mapping[str, str]) -> Check:
    """`versions` by node; a node that does not tell its version is passed over."""
    old = {node: version for node, version in versions.items() if (_number(version) or KUBELET_NEEDED) < KUBELET_NEEDED}
    if old:
        node, version = sorted(old.items())[0]
        more = f" and {len(old) - 1} more" if len(old) > 1 else ""
        least = ".".join(map(str, KUBELET_NEEDED))
        found = f"{node} has a kubelet {version}{more}: an agent there would never start"
        return Check("kubelets", "problem", found, f"upgrade these nodes to {least} or newer, or keep agents off them")
    told = sorted({version for version in versions.values() if _number(version)}, key=lambda one: _number(one) or ())
    if not told:
        return Check("kubelets", "warning", "no node tells its kubelet's version")
    found = told[0] if len(told) == 1 else f"{told[0]} to {told[-1]}"
    return Check("kubelets", "ok", f"{found} on {len(versions)} nodes")


def _ask(cluster: Cluster) -> tuple[str, float]:
    """Version and clock. Whoever answers without them is no API server."""
    server, request = cluster.connection.server, "get /version"
    answer = cluster.connection.ask("GET", "/version", request, seconds=ANSWER_SECONDS)
    data = read_all(answer, server, request)
    try:
        return str(json.loads(data)["gitVersion"]), parsedate_to_datetime(answer.headers["Date"]).timestamp()
    except (ValueError, TypeError, KeyError):
        told = f"{request}: {server} does not answer as an API server does; is it one?"
        raise Unavailable(answer.status, "BadAnswer", told) from None


def _kubelet(node: Mapping[str, Mapping[str, Mapping[str, str]]]) -> str:
    return str(node.get("status", {}).get("nodeInfo", {}).get("kubeletVersion", ""))


def _number(version: str) -> tuple[int, int] | None:
    found = re.match(r"v?(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else None


def _needed() -> str:
    return f"{'.'.join(map(str, SERVER_NEEDED))} or newer"
