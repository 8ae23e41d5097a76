"""The chart's ServiceMonitor and PrometheusRule, taken by an API server that knows the Prometheus Operator's kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.chart.rendering import IMAGE, STORE, render
from tests.cluster import crd
from tests.cluster.installation import CHART, RELEASE, helm
from tests.cluster.rig import prometheus_kinds
from tests.cluster.rig.errors import RigError
from tests.cluster.rig.handle import ControlPlane

GROUP = "monitoring.coreos.com"
LABELS = {"release": "prometheus"}
MONITORING = {"serviceMonitor": True, "rules": True, "labels": LABELS}
STRICT = ("apply", "--server-side", "--dry-run=server", "--validate=strict")
Object = dict[str, Any]


@pytest.fixture
def plane(spare_control_plane: ControlPlane) -> ControlPlane:
    """One that knows both kinds."""
    try:
        definitions = prometheus_kinds.files()
    except prometheus_kinds.NotToBeHad as why:
        pytest.skip(str(why))
    for file in definitions:
        spare_control_plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", str(file))
        crd.wait_until_established(spare_control_plane, f"{file.stem}.{GROUP}")
    return spare_control_plane


@pytest.fixture
def system(plane: ControlPlane) -> Iterator[str]:
    with plane.namespace(prefix="monitored") as name:
        yield name


@pytest.fixture
def rendered() -> dict[str, Object]:
    """By kind."""
    items = render(monitoring=MONITORING)
    return {item["kind"]: item for item in items if item["apiVersion"].startswith(GROUP)}


def test_both_are_installed_as_they_were_written_and_lead_to_the_controller(
    plane: ControlPlane, system: str, rendered: dict[str, Object]
) -> None:
    values = {
        "image": IMAGE,
        "store": STORE,
        "monitoring": MONITORING,
        "crd": {"install": False},
        "agents": {"namespaces": ["default"], "createNamespaces": False},
    }
    helm(plane, "install", RELEASE, str(CHART), f"--namespace={system}", values=values)
    assert rendered.keys() == {"ServiceMonitor", "PrometheusRule"}
    for kind, item in rendered.items():
        kept = plane.get(kind, RELEASE, f"--namespace={system}")
        assert kept["spec"] == item["spec"], "a field that the definition does not know is dropped without a word"
        assert kept["metadata"]["labels"].items() >= LABELS.items()

    monitor = rendered["ServiceMonitor"]["spec"]
    labels = ",".join(f"{name}={value}" for name, value in monitor["selector"]["matchLabels"].items())
    (service,) = plane.get("services", f"--namespace={system}", f"--selector={labels}")["items"]
    assert service["metadata"]["name"] == f"{RELEASE}-controller"
    (endpoint,) = monitor["endpoints"]
    assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}
    helm(plane, "uninstall", RELEASE, f"--namespace={system}")


def test_both_keep_to_the_schema_and_a_misspelt_field_does_not(
    plane: ControlPlane, system: str, rendered: dict[str, Object]
) -> None:
    def hand_over(item: Object) -> str:
        item["metadata"]["namespace"] = system
        return plane.kubectl(*STRICT, "-f", "-", input=json.dumps(item))

    for item in rendered.values():
        assert "serverside-applied" in hand_over(item)

    monitor, rules = rendered["ServiceMonitor"], rendered["PrometheusRule"]
    endpoint, rule = monitor["spec"]["endpoints"][0], rules["spec"]["groups"][0]["rules"][0]
    endpoint["honourLabels"] = endpoint.pop("honorLabels")
    with pytest.raises(RigError, match=r"\.spec\.endpoints\[0\]\.honourLabels: field not declared in schema"):
        hand_over(monitor)
    endpoint["honorLabels"] = endpoint.pop("honourLabels")
    endpoint["interval"] = "every minute"
    with pytest.raises(RigError, match=r"spec\.endpoints\[0\]\.interval: Invalid value: \"every minute\""):
        hand_over(monitor)
    rule["expression"] = rule.pop("expr")
    with pytest.raises(RigError, match=r"\.rules\[0\]\.expression: field not declared in schema"):
        hand_over(rules)
