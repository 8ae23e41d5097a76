"""One NetworkPolicy an experiment: whom its agents' pods, courier included, may reach, and that nobody may reach them.

    open         everything
    restricted   the store, the validation service, the gateway, cluster DNS, and what the spec's `allow` lists
    none         the same without the gateway and the list

The kubelet's own calls to a pod on its node (the notice that it is about to go) are outside the reach of policies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.api.types import AllowedPeer
from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.jobs import experiment_labels, owner_reference
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.settings import Peer, Settings
from orchestrator.core.model import Experiment, Role


def network_policy(experiment: Experiment, settings: Settings) -> Object:
    """The policy of the experiment's agents. To be there before the first of them."""
    mode = experiment.spec.network.mode
    spec: Object = {
        "podSelector": {
            "matchLabels": {
                labels.EXPERIMENT_UID: experiment.uid,
                labels.ROLE: Role.AGENT.value,
                labels.NETWORK: mode,
            }
        },
        "policyTypes": ["Ingress"] if mode == "open" else ["Ingress", "Egress"],
        "ingress": [],
    }
    if mode != "open":
        spec["egress"] = list(_allowed(experiment, settings))
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {
            "name": policy_name(experiment),
            "namespace": experiment.namespace,
            "labels": experiment_labels(experiment),
            "ownerReferences": [owner_reference(experiment)],
        },
        "spec": spec,
    }


def policy_name(experiment: Experiment) -> str:
    return f"agents-{experiment.uid}-{experiment.spec.network.mode}"


def _allowed(experiment: Experiment, settings: Settings) -> Iterator[Object]:
    network = settings.network
    yield from _rule(network.dns, [*_ports(network.dns_ports, "UDP"), *_ports(network.dns_ports)])
    yield from _rule(network.store, _ports(network.store_ports))
    yield from _rule(network.validation, _ports([network.validation_port]))
    if experiment.spec.network.mode == "restricted":
        yield from _rule(network.gateway, _ports([network.gateway_port]))
        for peer in experiment.spec.network.allow:
            yield _listed(peer)


def _rule(peers: Iterable[Peer], ports: list[Object]) -> Iterator[Object]:
    """A rule for these peers, and none at all if there are none: a rule without peers is one for everybody."""
    to = [dict(peer) for peer in peers]
    if to:
        yield {"to": to, "ports": ports}


def _listed(peer: AllowedPeer) -> Object:
    rule: Object = {"to": [{"ipBlock": {"cidr": peer.cidr}}]}
    if peer.ports:
        rule["ports"] = _ports(peer.ports)
    return rule


def _ports(numbers: Iterable[int], protocol: str = "TCP") -> list[Object]:
    return [{"protocol": protocol, "port": number} for number in numbers]
