"""How the kernel is told: rig/policy_nft.py. That the kernel obeys is shown in tests/cluster/test_policies.py."""

from typing import Any

import pytest

from tests.cluster.rig.policy_nft import render
from tests.cluster.rig.policy_rules import World
from tests.rig_policies.builders import a_pod, a_world

Object = dict[str, Any]
DENY = {"policyTypes": ["Ingress", "Egress"]}


def lines(text: str) -> list[str]:
    return [line.split("#")[0].strip() for line in text.splitlines()]


def chain(text: str, name: str) -> list[str]:
    """The rules of one chain of the table for IPv4."""
    found = lines(text.rpartition("\ntable ip rig_policies {")[2])
    start = next(number for number, line in enumerate(found) if line.startswith(f"chain {name} {{"))
    return found[start + 1 : found.index("}", start)]


def test_with_nobody_listed_everything_is_dropped() -> None:
    text = render(World((), {}, ()))
    assert "elements" not in text
    assert "ct original ip saddr != @pods drop" in chain(text, "input")
    assert "ct original ip saddr != @pods drop" in chain(text, "forward")


def test_a_pod_is_listed_with_its_cable_and_needs_no_chain_while_no_policy_selects_it() -> None:
    text = render(a_world([a_pod(2), a_pod(3)]))
    assert 'elements = { "veth2" . 10.244.0.2, "veth3" . 10.244.0.3 }' in lines(text)
    assert "elements = { 10.244.0.2, 10.244.0.3 }" in lines(text)
    assert "vmap" not in text


def test_all_tables_are_replaced_at_once() -> None:
    text = render(World((), {}, ()))
    for family in ("ip", "ip6", "bridge"):
        assert f"table {family} rig_policies\ndelete table {family} rig_policies\n" in text


def test_a_denied_pod_keeps_itself_and_nothing_else() -> None:
    text = render(a_world([a_pod(2)], DENY))
    assert chain(text, "egress-10.244.0.2") == [
        "ct reply ip saddr 10.244.0.2 return",
        "ct reply ip saddr 127.0.0.1 drop",
        "drop",
    ]
    assert chain(text, "ingress-10.244.0.2") == ["ct original ip saddr 10.244.0.2 return", "drop"]
    assert "ct original ip saddr vmap { 10.244.0.2 : jump egress-10.244.0.2 }" in chain(text, "input")


def test_a_namespace_whose_enforcement_is_off_has_no_chains() -> None:
    text = render(a_world([a_pod(2), a_pod(3, "away")], DENY), unenforced=["home"])
    assert "chain egress-10.244.0.2" not in text
    assert '"veth2" . 10.244.0.2' in text


@pytest.mark.parametrize(
    "rule, want",
    [
        pytest.param({}, "return", id="everything"),
        pytest.param({"ports": [{"port": 80}]}, "ct protocol tcp ct reply proto-src 80-80 return", id="a port"),
        pytest.param({"ports": [{"protocol": "UDP"}]}, "ct protocol udp return", id="a protocol"),
        pytest.param(
            {"to": [{"podSelector": {}}], "ports": [{"port": 5, "endPort": 9, "protocol": "SCTP"}]},
            "ct reply ip saddr 10.244.0.2/32 ct protocol sctp ct reply proto-src 5-9 return",
            id="a pod and a range",
        ),
        pytest.param(
            {"to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16", "10.1.2.0/24"]}}]},
            "ct reply ip saddr 10.0.0.0/8 ct reply ip saddr != { 10.1.0.0/16 } return",
            id="a block with exceptions that overlap, which nft would refuse",
        ),
    ],
)
def test_a_permission_is_a_line(rule: Object, want: str) -> None:
    text = render(a_world([a_pod(2)], {"policyTypes": ["Egress"], "egress": [rule]}))
    assert chain(text, "egress-10.244.0.2")[2:] == [want, "drop"]


@pytest.mark.parametrize(
    "block, port, want",
    [
        ({"cidr": "0.0.0.0/0"}, 6443, "return"),
        ({"cidr": "10.244.0.1/32"}, 6443, "return"),
        ({"cidr": "10.244.0.1/32"}, 443, "drop"),
        ({"cidr": "127.0.0.0/8"}, 6443, "drop"),
        ({"cidr": "0.0.0.0/0", "except": ["10.0.0.0/8"]}, 6443, "drop"),
    ],
)
def test_the_api_server_counts_as_being_at_the_nodes_address(block: Object, port: int, want: str) -> None:
    rule = {"to": [{"ipBlock": block}], "ports": [{"port": port}]}
    text = render(a_world([a_pod(2)], {"policyTypes": ["Egress"], "egress": [rule]}))
    assert chain(text, "egress-10.244.0.2")[1] == f"ct reply ip saddr 127.0.0.1 {want}"
