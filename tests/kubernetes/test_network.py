"""Whom an agent's pod may reach, as a NetworkPolicy says it."""

import pytest

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.jobs import agent_job
from orchestrator.cluster.kubernetes.network import network_policy
from tests.kubernetes.build import TOKEN, UID, agent_start, experiment, settings

STORE = {"podSelector": {"matchLabels": {"app": "store"}}}
VALIDATION = {"podSelector": {"matchLabels": {"app": "validation"}}}
GATEWAY = {"podSelector": {"matchLabels": {"app": "gateway"}}}
GIVEN = settings(
    network={"store": [STORE], "storePorts": [8333, 443], "validation": [VALIDATION], "gateway": [GATEWAY]}
)


def policy(mode, given=GIVEN, **network):
    return network_policy(experiment(network={"mode": mode, **network}), given)


def reached(found):
    """Peers with their ports, as (peer, port) pairs; port None: all."""
    return [
        (peer, port["port"] if port else None)
        for rule in found["spec"]["egress"]
        for peer in rule["to"]
        for port in rule.get("ports", [None])
        if port is None or port["protocol"] == "TCP"
    ]


@pytest.mark.parametrize("mode", ["open", "restricted", "none"])
def test_nobody_reaches_an_agent(mode):
    spec = policy(mode)["spec"]
    assert "Ingress" in spec["policyTypes"]
    assert spec["ingress"] == []


def test_an_open_network_holds_nobody_back():
    spec = policy("open")["spec"]
    assert spec["policyTypes"] == ["Ingress"]
    assert "egress" not in spec


def test_restricted_allows_what_the_run_needs_and_what_the_spec_lists():
    allow = [{"cidr": "10.20.0.0/16", "ports": [443]}, {"cidr": "10.30.0.0/16"}]
    found = reached(policy("restricted", allow=allow))
    (dns,) = GIVEN.network.dns
    assert found == [
        (dns, 53),
        (STORE, 8333),
        (STORE, 443),
        (VALIDATION, 8080),
        (GATEWAY, 4000),
        ({"ipBlock": {"cidr": "10.20.0.0/16"}}, 443),
        ({"ipBlock": {"cidr": "10.30.0.0/16"}}, None),
    ]


def test_none_leaves_the_gateway_out():
    peers = [peer for peer, _ in reached(policy("none"))]
    assert STORE in peers
    assert VALIDATION in peers
    assert GATEWAY not in peers


def test_dns_is_asked_over_udp_too():
    (rule, *_) = policy("none")["spec"]["egress"]
    assert {(port["protocol"], port["port"]) for port in rule["ports"]} == {("UDP", 53), ("TCP", 53)}
    (rule,) = policy("none", settings(network={"dnsPorts": [5353]}))["spec"]["egress"]
    assert {(port["protocol"], port["port"]) for port in rule["ports"]} == {("UDP", 5353), ("TCP", 5353)}


@pytest.mark.parametrize("mode", ["restricted", "none"])
def test_what_the_operator_did_not_name_is_not_opened_to_everybody(mode):
    """A rule without peers would be one for all addresses."""
    found = policy(mode, settings(network={"dns": []}))
    assert found["spec"]["egress"] == []
    assert "Egress" in found["spec"]["policyTypes"]


@pytest.mark.parametrize("mode", ["open", "restricted", "none"])
def test_it_holds_for_every_agent_of_the_experiment_and_for_nobody_else(mode):
    given = experiment(network={"mode": mode})
    selected = network_policy(given, GIVEN)["spec"]["podSelector"]["matchLabels"]
    pod = agent_job(given, agent_start(), GIVEN, TOKEN)["spec"]["template"]["metadata"]["labels"]
    assert selected.items() <= pod.items()
    assert selected[labels.EXPERIMENT_UID] == UID
    assert selected[labels.ROLE] == "agent"


def test_it_goes_with_the_experiment():
    found = policy("restricted")
    assert found["metadata"]["namespace"] == "default"
    assert found["metadata"]["ownerReferences"][0]["uid"] == UID
