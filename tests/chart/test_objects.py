"""What the chart's objects promise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm.values import CHART
from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.worker.orders import BucketsOrder, CanaryOrder, Order, ValidationOrder
from tests.chart.rendering import BUNDLED, NAMESPACE, READY_MADE, STORE, names, needs_helm, only, pods, render

pytestmark = needs_helm
ROOT = Path(__file__).parents[2]
STORES = pytest.mark.parametrize("store", [STORE, BUNDLED], ids=["existing store", "bundled store"])
ORDERS: dict[str, type[Order]] = {
    "Deployment mlectl-validation": ValidationOrder,
    "Deployment mlectl-canary": CanaryOrder,
    "Job mlectl-buckets": BucketsOrder,
}


def settings_of(items: list[dict[str, Any]]) -> Settings:
    return Settings.model_validate(yaml.safe_load(only(items, "ConfigMap", "mlectl")["data"]["settings.yaml"]))


def variables(pod: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one.get("value") for one in pod["containers"][0]["env"]}


def test_its_definition_of_an_experiment_run_is_the_one_that_is_generated_and_is_kept():
    generated = (ROOT / "manifests" / "crd" / "experimentruns.yaml").read_text()
    assert (CHART / "files" / "experimentruns.yaml").read_text() == generated, "run: make docs"
    definition = only(render(), "CustomResourceDefinition", "experimentruns.mlectl.dev")
    assert definition["spec"] == yaml.safe_load(generated)["spec"]
    assert definition["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


@STORES
def test_everybody_can_read_what_it_writes_for_them(store):
    items = render(store=store)
    settings = settings_of(items)
    found = {
        name: kind.model_validate_json(variables(pod)["MLECTL_ORDER"])
        for name, pod in pods(items).items()
        if (kind := ORDERS.get(name))
    }
    service = found["Deployment mlectl-validation"]
    assert isinstance(service, ValidationOrder)
    assert settings.stores == service.stores
    assert settings.network.canary == service.canary
    assert settings.namespace == NAMESPACE
    assert ("Job mlectl-buckets" in found) == (store is BUNDLED)


@STORES
def test_every_pod_is_as_strict_as_the_restricted_profile_and_writes_to_its_mounts_alone(store):
    found = pods(render(store=store, monitoring={"serviceMonitor": True}))
    assert len(found) == (6 if store is BUNDLED else 4)
    for name, pod in found.items():
        assert pod["securityContext"]["runAsNonRoot"], name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in pod["containers"]:
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"], name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            assert not security["allowPrivilegeEscalation"], name
            assert container["resources"]["requests"], name
            assert container["resources"]["limits"]["memory"], name


def test_only_those_who_talk_to_the_api_server_have_a_token():
    without = {
        name for name, pod in pods(render(store=BUNDLED)).items() if not pod.get("automountServiceAccountToken", True)
    }
    assert set(pods(render(store=BUNDLED))) - without == {"Deployment mlectl-controller", "Pod mlectl-test"}


def test_what_hangs_is_started_again_and_asked_for_nothing_meanwhile():
    found = pods(render(store=BUNDLED))
    serving = {name for name in found if name.startswith(("Deployment", "StatefulSet"))}
    assert len(serving) == 4
    for name in serving:
        assert {"livenessProbe", "readinessProbe"} <= found[name]["containers"][0].keys(), name


@pytest.mark.parametrize("part", ["controller", "validation"])
def test_two_replicas_are_apart_and_one_may_always_serve(part):
    items = render()
    name = f"mlectl-{part}"
    deployment = only(items, "Deployment", name)["spec"]
    labels = deployment["selector"]["matchLabels"]
    pod = deployment["template"]["spec"]
    assert deployment["replicas"] == 2
    assert only(items, "PodDisruptionBudget", name)["spec"] == {
        "maxUnavailable": 1,
        "selector": {"matchLabels": labels},
    }
    (apart,) = pod["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert apart["podAffinityTerm"]["labelSelector"]["matchLabels"] == labels
    assert pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"] == labels
    assert name not in names(render(**{part: {"replicas": 1}}), "PodDisruptionBudget"), "one replica can't have both"


def test_all_validations_of_a_run_go_to_the_replica_that_counts_them():
    assert only(render(), "Service", "mlectl-validation")["spec"]["sessionAffinity"] == "ClientIP"


def test_a_private_authority_is_trusted_by_everybody_who_talks_to_the_store():
    items = render(store={**STORE, "caConfigMap": "store-ca"})
    assert settings_of(items).ca_config_map == "store-ca"
    for name in ("Deployment mlectl-controller", "Deployment mlectl-validation", "Pod mlectl-test"):
        pod = pods(items)[name]
        assert variables(pod)["SSL_CERT_FILE"] == "/etc/mlectl-ca/ca.crt"
        assert {"name": "ca", "mountPath": "/etc/mlectl-ca", "readOnly": True} in pod["containers"][0]["volumeMounts"]
        assert {"name": "ca", "configMap": {"name": "store-ca"}} in pod["volumes"]


def test_who_has_which_key():
    """The grader's for the service that reads answers; the controller's for it alone; the owner's to make buckets."""
    found = {
        name: [one["secretRef"]["name"] for one in pod["containers"][0].get("envFrom", [])]
        for name, pod in pods(render(store=BUNDLED)).items()
    }
    assert found == {
        "Deployment mlectl-controller": ["mlectl-store-controller"],
        "Deployment mlectl-validation": ["mlectl-store-grader"],
        "Deployment mlectl-canary": [],
        "StatefulSet mlectl-store": [],
        "Job mlectl-buckets": ["mlectl-store-owner"],
        "Pod mlectl-test": ["mlectl-store-grader"],
    }


def test_no_secret_is_made_where_agents_are():
    items = render(store=BUNDLED)
    assert names(items, "Secret") >= {"mlectl-tokens", "mlectl-store-owner"}
    assert {one["metadata"].get("namespace", NAMESPACE) for one in items if one["kind"] == "Secret"} == {NAMESPACE}


def test_the_bundled_stores_identities_have_their_buckets_and_no_more():
    secret = only(render(store=BUNDLED), "Secret", "mlectl-store-identities")
    identities = {one["name"]: set(one["actions"]) for one in json.loads(secret["stringData"]["s3.json"])["identities"]}
    writing = {"Read", "List", "Write", "Tagging"}
    assert identities["grader"] == {
        *(f"{verb}:mlectl-{bucket}" for verb in ("Read", "List") for bucket in ("public", "private")),
        *(f"{verb}:mlectl-runs" for verb in writing),
    }
    assert identities["controller"] == {
        f"{verb}:mlectl-{bucket}" for verb in writing for bucket in ("public", "private", "runs")
    }
    assert "Admin" in identities["owner"]


def test_who_may_reach_our_pods():
    items = render(store=BUNDLED, agents={"namespaces": ["team-a", "team-b"]})
    policies = {one["metadata"]["name"]: one["spec"] for one in items if one["kind"] == "NetworkPolicy"}
    agents = [
        {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": team}},
            "podSelector": {"matchLabels": {"mlectl.dev/role": "agent"}},
        }
        for team in ("team-a", "team-b")
    ]
    monitoring = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}

    def opened(name: str) -> list[Any]:
        return [rule.get("from", "everybody") for rule in policies[f"mlectl-{name}"].get("ingress", [])]

    assert opened("controller") == [[monitoring]]
    assert opened("validation") == [agents]
    assert opened("workers") == []
    assert opened("canary") == ["everybody"]
    assert opened("store") == [[{"podSelector": {}}, *agents]]
    assert not names(render(networkPolicies={"enabled": False}), "NetworkPolicy")
    assert (
        "ingress" not in only(render(networkPolicies={"monitoring": []}), "NetworkPolicy", "mlectl-controller")["spec"]
    )


def test_agents_reach_the_bundled_store_without_a_word():
    items = render(store=BUNDLED)
    network = settings_of(items).network
    (peer,) = network.store
    store = only(items, "StatefulSet", "mlectl-store")["spec"]
    assert peer["podSelector"]["matchLabels"] == store["selector"]["matchLabels"]
    assert network.store_ports == (store["template"]["spec"]["containers"][0]["ports"][0]["containerPort"],)


def test_to_serve_all_namespaces_takes_the_same_rights_in_all_of_them():
    one = only(
        [item for item in render() if item["metadata"].get("namespace") == "mlectl-runs"], "Role", "mlectl-controller"
    )
    everywhere = render(agents={"namespaces": []})
    assert only(everywhere, "ClusterRole", f"{NAMESPACE}-mlectl-controller")["rules"] == one["rules"]
    assert not [item for item in everywhere if item["kind"] == "Pod"], "nobody said where helm test may run"


@pytest.mark.parametrize(
    "given, want",
    [
        ({}, "registry.example/mlectl/agent-dummy:"),
        ({"image": {"repository": "orchestrator", "tag": "rc"}}, "agent-dummy:"),
        ({"test": {"agentImage": "other:1"}}, "other:1"),
    ],
)
def test_helm_tests_agent_comes_from_where_the_orchestrator_comes_from(given, want):
    submitted = yaml.safe_load(only(render(**given), "ConfigMap", "mlectl-test")["data"]["experiment.yaml"])
    version = yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"]
    assert submitted["spec"]["agent"]["image"] == (f"{want}{version}" if want.endswith(":") else want)


@STORES
def test_no_agent_takes_the_place_of_what_it_needs(store):
    items = render(store=store, priorityClasses={"create": True})
    assert names(items, "PriorityClass") == {"mlectl-agent", "mlectl-service"}
    assert settings_of(items).agents.priority_class_name == "mlectl-agent"
    needed = {name: pod for name, pod in pods(items).items() if name != "Pod mlectl-test"}
    assert len(needed) >= 3
    for name, pod in needed.items():
        assert pod.get("priorityClassName") == "mlectl-service", name
    assert not [name for name, pod in pods(render(store=store)).items() if "priorityClassName" in pod]


@pytest.mark.parametrize(
    ("values", "want"),
    [
        pytest.param({}, ("runbook", "docs/runbooks/gpu-idle.md"), id="the page's name"),
        pytest.param(
            {"runbookUrl": "https://docs.example/PAGE.html"},
            ("runbook_url", "https://docs.example/gpu-idle.html"),
            id="a link where the docs are published",
        ),
    ],
)
def test_alerts_tell_where_their_runbooks_are(values, want):
    groups = only(render(monitoring={"rules": True, **values}), "PrometheusRule", "mlectl")["spec"]["groups"]
    alerts = {rule["alert"]: rule["annotations"] for group in groups for rule in group["rules"] if "alert" in rule}
    key, text = want
    assert alerts["MlectlGpuIdle"][key] == text
    assert all(annotations.keys() == {"summary", "description", key} for annotations in alerts.values())


def test_dashboards_go_without_a_label_where_it_was_taken_away():
    items = render(monitoring={"dashboards": True, "dashboardLabel": {"grafana_dashboard": None}})
    assert "grafana_dashboard" not in only(items, "ConfigMap", "mlectl-operations")["metadata"]["labels"]


def test_prometheus_and_grafana_find_what_is_theirs():
    items = render(monitoring={"serviceMonitor": True, "rules": True, "dashboards": True, "labels": {"release": "p"}})
    monitor = only(items, "ServiceMonitor", "mlectl")
    service = only(items, "Service", "mlectl-controller")
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert monitor["spec"]["endpoints"][0]["port"] in {one["name"] for one in service["spec"]["ports"]}
    assert monitor["metadata"]["labels"]["release"] == "p"
    assert only(items, "PrometheusRule", "mlectl")["spec"]["groups"]
    found = [one for one in items if one["kind"] == "ConfigMap" and "grafana_dashboard" in one["metadata"]["labels"]]
    assert len(found) == len(list((CHART / "files" / "dashboards").glob("*.json")))
    for one in found:
        (page,) = one["data"].values()
        assert json.loads(page)["panels"]


@pytest.mark.parametrize("file", READY_MADE, ids=lambda file: file.stem)
def test_a_ready_made_file_chooses_nodes_and_renders(file):
    settings = settings_of(render(file))
    if file.stem == "trial":
        assert settings.stores.runs.endswith("mlectl-store.mlectl-system.svc:8333")
    else:
        assert settings.agents.node_selector
        assert settings.agents.tolerations
