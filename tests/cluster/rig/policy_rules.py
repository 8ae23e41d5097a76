"""What NetworkPolicies (networking.k8s.io/v1) say about a pod, as plain address and port ranges. No I/O.

Policies add up: a pod that no policy selects for a direction is open in it (None); one that some select may do what
any of them allows, and nothing else. Both sides of a connection must allow it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Any, Literal

Object = dict[str, Any]
Labels = Mapping[str, str]
Direction = Literal["ingress", "egress"]
EVERYWHERE = IPv4Network("0.0.0.0/0")


@dataclass(frozen=True)
class Pod:
    """A pod on the bridge: what the API says of it, and where its sandbox is."""

    uid: str
    namespace: str
    name: str
    address: IPv4Address
    interface: str  # the node's end of its cable
    labels: Labels
    ports: tuple[tuple[str, str, int], ...] = ()  # name, protocol, number


@dataclass(frozen=True)
class Ports:
    """A protocol and a range of its ports; no protocol means anything at all."""

    protocol: str = ""
    first: int = 0
    last: int = 65535


@dataclass(frozen=True)
class Allowed:
    """Peers with these addresses may be spoken with on these ports."""

    block: IPv4Network = EVERYWHERE
    without: tuple[IPv4Network, ...] = ()
    ports: Ports = Ports()

    def covers(self, peer: IPv4Address, protocol: str, port: int) -> bool:
        return (
            peer in self.block
            and not any(peer in part for part in self.without)
            and self.ports.protocol in ("", protocol)
            and self.ports.first <= port <= self.ports.last
        )


@dataclass(frozen=True)
class World:
    """All that policies may speak about, as it was at one moment."""

    pods: Sequence[Pod]
    namespaces: Mapping[str, Labels]
    policies: Sequence[Object]


def allowed(pod: Pod, direction: Direction, world: World) -> tuple[Allowed, ...] | None:
    """What the pod may do in this direction; None if no policy has a say."""
    mine = [policy for policy in world.policies if selects(policy, pod) and direction in directions(policy["spec"])]
    if not mine:
        return None
    return tuple(dict.fromkeys(each for policy in mine for each in permissions(policy, pod, direction, world)))


def selects(policy: Object, pod: Pod) -> bool:
    return policy["metadata"]["namespace"] == pod.namespace and matches(policy["spec"].get("podSelector"), pod.labels)


def directions(spec: Object) -> set[str]:
    """Without policyTypes a policy is about ingress, and about egress too if it has rules for it."""
    default = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
    return {kind.lower() for kind in spec.get("policyTypes") or default}


def permissions(policy: Object, pod: Pod, direction: Direction, world: World) -> Iterator[Allowed]:
    """A rule without peers speaks of everybody, one without ports of everything; no rule at all allows nothing."""
    for rule in policy["spec"].get(direction) or ():
        for peer in rule.get("from" if direction == "ingress" else "to") or ({"ipBlock": {"cidr": "0.0.0.0/0"}},):
            for port in rule.get("ports") or ({"protocol": ""},):
                blocks = named_blocks if isinstance(port.get("port"), str) else numbered_blocks
                yield from blocks(policy, peer, port, pod, direction, world)


def numbered_blocks(
    policy: Object, peer: Object, port: Object, pod: Pod, direction: Direction, world: World
) -> Iterator[Allowed]:
    first = port.get("port", 0)
    ports = Ports(protocol_of(port), first, port.get("endPort") or first or 65535)
    if block := peer.get("ipBlock"):
        yield from (Allowed(span.block, span.without, ports) for span in spans(block))
    else:
        yield from (Allowed(IPv4Network(other.address), (), ports) for other in peers(policy, peer, world))


def named_blocks(
    policy: Object, peer: Object, port: Object, pod: Pod, direction: Direction, world: World
) -> Iterator[Allowed]:
    """A name means the port that the pod spoken to calls so: the selected one for ingress, each peer for egress."""
    if direction == "ingress":
        for number in numbers(pod, port):
            yield from numbered_blocks(policy, peer, {**port, "port": number}, pod, direction, world)
    else:
        for other in peers(policy, peer, world):
            for number in numbers(other, port):
                yield Allowed(IPv4Network(other.address), (), Ports(protocol_of(port), number, number))


def numbers(pod: Pod, port: Object) -> list[int]:
    wanted = (port["port"], protocol_of(port))
    return [number for name, protocol, number in pod.ports if (name, protocol) == wanted]


def protocol_of(port: Object) -> str:
    return str(port.get("protocol", "TCP")).lower()


def peers(policy: Object, peer: Object, world: World) -> list[Pod]:
    """The pods that a peer means. Without a namespaceSelector they are in the policy's own namespace."""
    if block := peer.get("ipBlock"):
        return [pod for pod in world.pods for span in spans(block) if span.covers(pod.address, "", 0)]
    home, selector = policy["metadata"]["namespace"], peer.get("namespaceSelector")
    return [
        pod
        for pod in world.pods
        if (pod.namespace == home if selector is None else matches(selector, world.namespaces[pod.namespace]))
        and matches(peer.get("podSelector"), pod.labels)
    ]


def spans(block: Object) -> Iterator[Allowed]:
    """None for a block of IPv6, of which the bridge carries nothing."""
    whole, *without = (ip_network(text, strict=False) for text in (block["cidr"], *(block.get("except") or ())))
    if isinstance(whole, IPv4Network):
        yield Allowed(whole, tuple(part for part in without if isinstance(part, IPv4Network)))


def matches(selector: Object | None, labels: Labels) -> bool:
    """An empty selector matches everything; a key that is absent is in no list, and so satisfies NotIn."""
    selector = selector or {}
    wanted: Mapping[str, str] = selector.get("matchLabels") or {}
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        satisfies(labels.get(term["key"]), term["operator"], term.get("values") or ())
        for term in selector.get("matchExpressions") or ()
    )


def satisfies(value: str | None, operator: str, among: Sequence[str]) -> bool:
    match operator:
        case "In":
            return value in among
        case "NotIn":
            return value not in among
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    raise ValueError(f"a selector's operator is In, NotIn, Exists or DoesNotExist, not {operator!r}")
