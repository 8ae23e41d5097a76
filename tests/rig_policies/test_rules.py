"""What policies mean: rig/policy_rules.py."""

from ipaddress import IPv4Address
from typing import Any

import pytest

from tests.cluster.rig.policy_rules import Direction, Pod, World, allowed, matches
from tests.rig_policies.builders import a_pod, a_policy, a_world

Object = dict[str, Any]
PORTS = (("web", "tcp", 8080), ("web", "udp", 53))
ME, WEB, DB = a_pod(2, app="client"), a_pod(3, app="web", ports=PORTS), a_pod(4, app="db")
THEIRS = a_pod(5, "away", app="web", ports=(("web", "tcp", 9090),))
PODS = [ME, WEB, DB, THEIRS]
OUTSIDE = IPv4Address("192.0.2.1")


def reaches(peer: Pod | IPv4Address, protocol: str, port: int, *specs: Object, direction: Direction = "egress") -> bool:
    """May ME speak with the peer, as far as ME's own policies go?"""
    permissions = allowed(ME, direction, a_world(PODS, *specs))
    address = peer.address if isinstance(peer, Pod) else peer
    return permissions is None or any(each.covers(address, protocol, port) for each in permissions)


def egress(*rules: Object) -> Object:
    return {"policyTypes": ["Egress"], "egress": list(rules)}


@pytest.mark.parametrize(
    "selector, labels, want",
    [
        (None, {}, True),
        ({}, {"a": "1"}, True),
        ({"matchLabels": {"a": "1"}}, {"a": "1", "b": "2"}, True),
        ({"matchLabels": {"a": "1"}}, {"a": "2"}, False),
        ({"matchLabels": {"a": "1", "b": "2"}}, {"a": "1"}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1", "2"]}]}, {"a": "2"}, True),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1"]}]}, {}, False),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, {"a": "1"}, False),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, {}, True),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {"a": ""}, True),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {}, False),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {}, True),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {"a": ""}, False),
        ({"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]}, {"a": "1"}, False),
    ],
)
def test_selectors(selector: Object | None, labels: dict[str, str], want: bool) -> None:
    assert matches(selector, labels) is want


def test_an_operator_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="Gt"):
        matches({"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["1"]}]}, {"a": "2"})


@pytest.mark.parametrize(
    "spec, want",
    [
        pytest.param({}, (True, False), id="about ingress alone if it says nothing"),
        pytest.param({"egress": [{}]}, (True, True), id="about egress too if it has rules for it"),
        pytest.param({"egress": []}, (True, False), id="but not if that list is empty"),
        pytest.param({"policyTypes": ["Egress"]}, (False, True), id="about what it says"),
        pytest.param({"policyTypes": ["Ingress", "Egress"]}, (True, True), id="about both if it says so"),
    ],
)
def test_what_a_policy_is_about(spec: Object, want: tuple[bool, bool]) -> None:
    world = a_world(PODS, spec)
    assert (allowed(ME, "ingress", world) is not None, allowed(ME, "egress", world) is not None) == want


def test_a_policy_of_another_namespace_or_for_other_labels_has_no_say() -> None:
    elsewhere = World(PODS, {"home": {}, "away": {}}, [a_policy(egress(), namespace="away")])
    assert allowed(ME, "egress", elsewhere) is None
    assert allowed(THEIRS, "egress", elsewhere) == ()
    assert reaches(WEB, "tcp", 80, {**egress(), "podSelector": {"matchLabels": {"app": "db"}}})
    assert not reaches(WEB, "tcp", 80, {**egress(), "podSelector": {"matchLabels": {"app": "client"}}})


@pytest.mark.parametrize(
    "peers, want",
    [
        pytest.param(None, {"web", "db", "theirs", "outside"}, id="no peers: everybody"),
        pytest.param([], {"web", "db", "theirs", "outside"}, id="an empty list of peers: everybody"),
        pytest.param([{"podSelector": {}}], {"web", "db"}, id="all pods here"),
        pytest.param([{"podSelector": {"matchLabels": {"app": "web"}}}], {"web"}, id="some pods here"),
        pytest.param([{"namespaceSelector": {}}], {"web", "db", "theirs"}, id="all pods anywhere"),
        pytest.param([{"namespaceSelector": {"matchLabels": {"team": "them"}}}], {"theirs"}, id="a namespace"),
        pytest.param(
            [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "web"}}}], {"web", "theirs"}, id="both"
        ),
        pytest.param([{"ipBlock": {"cidr": "10.0.0.0/8"}}], {"web", "db", "theirs"}, id="a block"),
        pytest.param(
            [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["10.244.0.3/32", "10.244.0.5/32"]}}],
            {"db", "outside"},
            id="a block with exceptions",
        ),
        pytest.param([{"ipBlock": {"cidr": "192.0.2.77/24"}}], {"outside"}, id="a block that is named by a host in it"),
        pytest.param([{"ipBlock": {"cidr": "::/0"}}], set(), id="a block of IPv6"),
        pytest.param(
            [{"podSelector": {"matchLabels": {"app": "db"}}}, {"ipBlock": {"cidr": "192.0.2.0/24"}}],
            {"db", "outside"},
            id="several add up",
        ),
    ],
)
def test_peers(peers: list[Object] | None, want: set[str]) -> None:
    everybody: dict[str, Pod | IPv4Address] = {"web": WEB, "db": DB, "theirs": THEIRS, "outside": OUTSIDE}
    out = {} if peers is None else {"to": peers}
    into = {} if peers is None else {"from": peers}
    assert {name for name, who in everybody.items() if reaches(who, "tcp", 80, egress(out))} == want
    spec = {"policyTypes": ["Ingress"], "ingress": [into]}
    assert {name for name, who in everybody.items() if reaches(who, "tcp", 80, spec, direction="ingress")} == want


@pytest.mark.parametrize(
    "ports, yes, no",
    [
        pytest.param([], [("tcp", 1), ("udp", 1), ("icmp", 0)], [], id="no ports: everything"),
        pytest.param([{"port": 80}], [("tcp", 80)], [("tcp", 79), ("tcp", 81), ("udp", 80)], id="TCP by default"),
        pytest.param(
            [{"port": 80, "endPort": 90, "protocol": "UDP"}],
            [("udp", 80), ("udp", 85), ("udp", 90)],
            [("udp", 79), ("udp", 91), ("tcp", 80)],
            id="a range",
        ),
        pytest.param(
            [{"protocol": "SCTP"}], [("sctp", 1), ("sctp", 65535)], [("tcp", 1), ("icmp", 0)], id="a protocol"
        ),
        pytest.param([{"port": 1}, {"port": 3}], [("tcp", 1), ("tcp", 3)], [("tcp", 2)], id="several"),
    ],
)
def test_ports(ports: list[Object], yes: list[tuple[str, int]], no: list[tuple[str, int]]) -> None:
    spec = egress({"ports": ports})
    assert all(reaches(WEB, protocol, port, spec) for protocol, port in yes)
    assert not any(reaches(WEB, protocol, port, spec) for protocol, port in no)


def test_a_ports_name_is_that_of_the_pod_spoken_to() -> None:
    spec = egress({"to": [{"namespaceSelector": {}}], "ports": [{"port": "web"}]})
    assert reaches(WEB, "tcp", 8080, spec)
    assert reaches(THEIRS, "tcp", 9090, spec)
    assert not reaches(WEB, "tcp", 9090, spec)
    assert not reaches(WEB, "udp", 53, spec)
    assert not reaches(WEB, "tcp", 53, spec)
    assert not reaches(DB, "tcp", 8080, spec)

    into = {"policyTypes": ["Ingress"], "ingress": [{"ports": [{"port": "web"}]}]}
    permissions = allowed(WEB, "ingress", a_world(PODS, into))
    assert permissions is not None
    assert any(each.covers(DB.address, "tcp", 8080) for each in permissions)
    assert not any(each.covers(DB.address, "tcp", 9090) for each in permissions)


def test_a_named_port_without_peers_is_that_of_every_pod_and_in_a_block_of_those_inside() -> None:
    anywhere = egress({"ports": [{"port": "web"}]})
    assert reaches(WEB, "tcp", 8080, anywhere)
    assert not reaches(OUTSIDE, "tcp", 8080, anywhere)
    inside = egress({"to": [{"ipBlock": {"cidr": "10.244.0.5/32"}}], "ports": [{"port": "web"}]})
    assert reaches(THEIRS, "tcp", 9090, inside)
    assert not reaches(WEB, "tcp", 8080, inside)


def test_policies_add_up_and_repeat_nothing() -> None:
    one, other = egress({"ports": [{"port": 80}]}), egress({"ports": [{"port": 443}]})
    assert reaches(WEB, "tcp", 80, one, other)
    assert reaches(WEB, "tcp", 443, one, other)
    assert not reaches(WEB, "tcp", 443, one)
    assert allowed(ME, "egress", a_world(PODS, one, one)) == allowed(ME, "egress", a_world(PODS, one))
