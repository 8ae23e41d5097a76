"""Network policies on the true node: every line of policy_rules.py in the kernel's hands.

Each test shows beside its result that the same attempt succeeds where enforcement is switched off (`free`), so a test
that would pass without an enforcer fails here.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.layout import NODE_ADDRESS, POD_CIDR
from tests.cluster.town import Town, build

Object = dict[str, Any]
CLIENT = {"matchLabels": {"app": "client"}}
WEB = {"matchLabels": {"app": "web"}}
AWAY = {"matchLabels": {"team": "away"}}
DNS = {
    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
    "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
}
LANDMARKS = ["web:8080", "web-service", "db:8080", "neighbour:8080", "neighbour-service", "web:udp", "web:ping"]
OUTSIDE = ["node", "api", "api-endpoint", "dns", "metadata"]
EVERYTHING = [*LANDMARKS, *OUTSIDE]


@pytest.fixture(scope="module")
def town(control_plane: ControlPlane, node: str) -> Iterator[Town]:
    with build(control_plane) as town:
        yield town


def egress(*rules: Object, selector: Object = CLIENT) -> Object:
    return {"podSelector": selector, "policyTypes": ["Egress"], "egress": list(rules)}


def ingress(*rules: Object, selector: Object = WEB) -> Object:
    return {"podSelector": selector, "policyTypes": ["Ingress"], "ingress": list(rules)}


def to(*peers: Object, ports: list[Object] | None = None) -> Object:
    return {"to": list(peers), **({"ports": ports} if ports else {})}


def expressions(*terms: tuple[str, str, list[str]]) -> Object:
    return {
        "matchExpressions": [
            {"key": key, "operator": operator, **({"values": values} if values else {})}
            for key, operator, values in terms
        ]
    }


def test_without_a_policy_a_pod_reaches_everything(town: Town) -> None:
    town.expect("client", reaches=EVERYTHING)


@pytest.mark.parametrize(
    "rules, reached",
    [
        pytest.param([], set(), id="no rule allows nothing"),
        pytest.param([{}], set(EVERYTHING), id="an empty rule allows everything"),
        pytest.param([{"to": []}], set(EVERYTHING), id="an empty list of peers means everybody"),
        pytest.param(
            [to({"podSelector": WEB})],
            {"web:8080", "web-service", "web:udp", "web:ping"},
            id="pods of the same namespace, all protocols, also through their service",
        ),
        pytest.param(
            [to({"podSelector": {}})], {*LANDMARKS[:3], "web:udp", "web:ping"}, id="all pods of the namespace"
        ),
        pytest.param(
            [to({"namespaceSelector": AWAY})], {"neighbour:8080", "neighbour-service"}, id="another namespace's pods"
        ),
        pytest.param(
            [to({"namespaceSelector": AWAY, "podSelector": {"matchLabels": {"app": "db"}}})],
            set(),
            id="namespace and pod must both match when they stand together",
        ),
        pytest.param(
            [to({"namespaceSelector": AWAY}, {"podSelector": {"matchLabels": {"app": "db"}}})],
            {"neighbour:8080", "neighbour-service", "db:8080"},
            id="peers that stand apart add up",
        ),
        pytest.param(
            [to({"podSelector": WEB}, ports=[{"port": 8080}])],
            {"web:8080", "web-service"},
            id="a port is of TCP unless said otherwise",
        ),
        pytest.param(
            [to({"podSelector": WEB}, ports=[{"port": 5353, "protocol": "UDP"}])], {"web:udp"}, id="a port of UDP"
        ),
        pytest.param(
            [{"ports": [{"protocol": "UDP"}]}], {"web:udp"}, id="a protocol without a port means all of its ports"
        ),
        pytest.param([{"ports": [{"port": 80}]}], {"metadata"}, id="a service's port is its pods' port, not its own"),
        pytest.param([to(DNS, ports=[{"port": 53}])], {"dns"}, id="cluster DNS"),
        pytest.param(
            [to({"ipBlock": {"cidr": f"{NODE_ADDRESS}/32"}})],
            {"node", "api", "api-endpoint"},
            id="the node's address, where the API server is too",
        ),
        pytest.param(
            [to({"ipBlock": {"cidr": f"{NODE_ADDRESS}/32"}}, ports=[{"port": 6443}])],
            {"api", "api-endpoint"},
            id="the API server's endpoint and nothing else of the node",
        ),
        pytest.param(
            [to({"ipBlock": {"cidr": "10.96.0.0/24"}})], set(), id="services' own addresses mean nothing to a policy"
        ),
        pytest.param(
            [to({"ipBlock": {"cidr": "0.0.0.0/0", "except": [POD_CIDR]}})],
            {"metadata"},
            id="an exception takes out the API server although it listens on loopback",
        ),
        pytest.param(
            [to({"ipBlock": {"cidr": "0.0.0.0/0", "except": ["169.254.0.0/16", "10.0.0.0/9"]}})],
            set(EVERYTHING) - {"metadata"},
            id="all but the metadata address",
        ),
    ],
)
def test_what_egress_rules_allow(town: Town, rules: list[Object], reached: set[str]) -> None:
    with town.policy(egress(*rules)):
        town.expect("client", reaches=reached, blocked=set(EVERYTHING) - reached)
        town.expect("free", reaches=EVERYTHING)
    town.expect("client", reaches=EVERYTHING)


@pytest.mark.parametrize(
    "selector, reached",
    [
        pytest.param(expressions(("app", "In", ["web", "other"])), {"web:8080"}, id="In"),
        pytest.param(expressions(("tier", "In", ["back"])), {"web:8080"}, id="In, where the key is absent"),
        pytest.param(expressions(("app", "NotIn", ["web"])), {"db:8080"}, id="NotIn"),
        pytest.param(expressions(("tier", "NotIn", ["back"])), {"db:8080"}, id="NotIn, where the key is absent"),
        pytest.param(expressions(("tier", "Exists", [])), {"web:8080"}, id="Exists"),
        pytest.param(expressions(("tier", "DoesNotExist", [])), {"db:8080"}, id="DoesNotExist"),
        pytest.param(
            expressions(("app", "In", ["web", "db"]), ("tier", "Exists", [])), {"web:8080"}, id="all terms must hold"
        ),
    ],
)
def test_selectors_with_expressions(town: Town, selector: Object, reached: set[str]) -> None:
    both = {"web:8080", "db:8080"}
    with town.policy(egress(to({"podSelector": selector}))):
        town.expect("client", reaches=reached, blocked=both - reached)
        town.expect("free", reaches=both)


@pytest.mark.parametrize(
    "ports, reached",
    [
        pytest.param([{"port": 8081, "endPort": 8085}], {"web:8081", "web:8085"}, id="a range, its ends included"),
        pytest.param([{"port": 8080}, {"port": 9090}], {"web:8080", "web:9090"}, id="several"),
        pytest.param([{"port": "admin"}], {"web:9090"}, id="a name that the pod behind it gave"),
        pytest.param([{"port": "admin-udp", "protocol": "UDP"}], {"web:udp"}, id="a name of UDP"),
        pytest.param([{"port": "admin-udp"}], set(), id="a name with the wrong protocol"),
    ],
)
@pytest.mark.parametrize("direction", ["egress", "ingress"])
def test_ports(town: Town, direction: str, ports: list[Object], reached: set[str]) -> None:
    all_of_web = {"web:8080", "web:8081", "web:8085", "web:9090", "web:udp"}
    if direction == "egress":
        with town.policy(egress(to({"podSelector": WEB}, ports=ports))):
            town.expect("client", reaches=reached, blocked=all_of_web - reached)
            town.expect("free", reaches=all_of_web)
    else:
        town.expect("client", reaches=all_of_web)
        with town.policy(ingress({"ports": ports}), [town.home]):
            town.expect("client", reaches=reached, blocked=all_of_web - reached)


@pytest.mark.parametrize(
    "rules, guests",
    [
        pytest.param([], set(), id="nobody"),
        pytest.param([{}], {"client", "db", "neighbour"}, id="everybody"),
        pytest.param([{"from": [{"podSelector": CLIENT}]}], {"client"}, id="a pod"),
        pytest.param([{"from": [{"namespaceSelector": AWAY}]}], {"neighbour"}, id="a namespace"),
        pytest.param(
            [{"from": [{"namespaceSelector": {}, "podSelector": WEB}]}], {"neighbour"}, id="pods of all namespaces"
        ),
        pytest.param([{"from": [{"podSelector": CLIENT}], "ports": [{"port": 9090}]}], set(), id="another port only"),
    ],
)
def test_whom_ingress_rules_let_in(town: Town, rules: list[Object], guests: set[str]) -> None:
    everybody = {"client", "db", "neighbour"}
    for name in everybody:
        town.expect(name, reaches=["web:8080", "web-service"])
    with town.policy(ingress(*rules), [town.home]):
        for name in everybody:
            ways = {"web:8080", "web-service"}
            town.expect(name, **{"reaches" if name in guests else "blocked": ways})
        town.expect_from_node("web:8080")


def test_addresses_with_exceptions_for_ingress(town: Town) -> None:
    mine = f"{town.pods['client'].address}/32"
    with town.policy(ingress({"from": [{"ipBlock": {"cidr": POD_CIDR, "except": [mine]}}]}), [town.home]):
        town.expect("client", blocked=["web:8080", "web-service"])
        town.expect("db", reaches=["web:8080", "web-service"])
    town.expect("client", reaches=["web:8080"])


def test_both_sides_must_allow(town: Town) -> None:
    with town.policy(egress(to({"podSelector": WEB}))):
        town.expect("client", reaches=["web:8080"])
        with town.policy(ingress({"from": [{"podSelector": {"matchLabels": {"app": "db"}}}]}), [town.home]):
            town.expect("client", blocked=["web:8080"])
            town.expect("db", reaches=["web:8080"])


def test_policies_add_up(town: Town) -> None:
    with town.policy(egress(to({"podSelector": WEB}))), town.policy(egress(to({"namespaceSelector": AWAY}))):
        town.expect("client", reaches=["web:8080", "neighbour:8080"], blocked=["db:8080", "metadata"])
        town.expect("free", reaches=["db:8080", "metadata"])


def test_a_policy_is_about_ingress_alone_unless_it_says_more(town: Town) -> None:
    with town.policy({"podSelector": CLIENT}):
        town.expect("client", reaches=EVERYTHING)
        town.expect("web", blocked=["client:8080"])
    town.expect("web", reaches=["client:8080"])


def test_a_policy_of_one_direction_leaves_the_other_open(town: Town) -> None:
    with town.policy(egress()):
        town.expect("web", reaches=["client:8080", "client:udp", "client:ping"])
        town.expect("client", blocked=["web:8080", "web:udp", "web:ping"])
        town.expect("free", reaches=["web:8080", "web:udp", "web:ping"])


def test_a_pod_is_never_kept_from_itself(town: Town) -> None:
    both = {"podSelector": WEB, "policyTypes": ["Ingress", "Egress"]}
    with town.policy(both, [town.home]):
        town.expect("web", reaches=["web:8080", "web-service"], blocked=["db:8080"])
    town.expect("web", reaches=["db:8080"])
