"""The kinds of objects that this project reads or writes, and where the API server keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from orchestrator.cluster.kubernetes.labels import GROUP

Object = dict[str, Any]
"""A Kubernetes object as raw JSON."""


@dataclass(frozen=True)
class Kind:
    """One kind of object."""

    group: str
    version: str
    plural: str
    name: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str | None = None, name: str = "", subresource: str = "") -> str:
        """The URL's path of one object, or of all in a namespace, or (namespace None) of all in the cluster."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        within = f"/namespaces/{quote(namespace, safe='')}" if namespace and self.namespaced else ""
        parts = [part for part in (name, subresource) if part]
        return f"{root}{within}/{'/'.join([self.plural, *(quote(part, safe='') for part in parts)])}"

    def __str__(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural


EXPERIMENTS = Kind(GROUP, "v1alpha1", "experimentruns", "ExperimentRun")
JOBS = Kind("batch", "v1", "jobs", "Job")
PODS = Kind("", "v1", "pods", "Pod")
EVENTS = Kind("", "v1", "events", "Event")
LEASES = Kind("coordination.k8s.io", "v1", "leases", "Lease")
NETWORK_POLICIES = Kind("networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy")
