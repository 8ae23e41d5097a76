"""The chart, as helm renders it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.cluster.kubernetes.settings import Settings
from orchestrator.worker.orders import ValidationOrder
from tests.cluster.installation import CHART
from tests.cluster.rig import programs

MANIFESTS = Path(__file__).parents[2] / "manifests"
STORE = {"endpoint": "https://s3.example", "controllerSecret": "writes", "graderSecret": "reads"}


def render(**values: Any) -> list[dict[str, Any]]:
    command = [programs.find("helm"), "template", "mlectl", str(CHART), "--namespace=mlectl-system", "--values=-"]
    given = json.dumps({"store": STORE, **values})
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [item for item in yaml.safe_load_all(done.stdout) if item]


def only(items: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    (found,) = (item for item in items if item["kind"] == kind and item["metadata"]["name"] == name)
    return found


def rules(items: list[dict[str, Any]]) -> set[str]:
    """What roles allow, by their namespaces."""
    return {
        json.dumps([item["metadata"].get("namespace", "mlectl-system"), rule], sort_keys=True)
        for item in items
        if item["kind"] in ("Role", "ClusterRole")
        for rule in item["rules"]
    }


def test_its_rights_are_those_that_the_controller_was_shown_to_need() -> None:
    tried = list(yaml.safe_load_all((MANIFESTS / "controller" / "rbac.yaml").read_text()))
    assert rules(render(agents={"namespaces": ["mlectl-agents"]})) == rules(tried)


def test_its_definition_of_an_experiment_run_is_the_one_that_is_generated() -> None:
    generated = (MANIFESTS / "crd" / "experimentruns.yaml").read_text()
    assert (CHART / "files" / "experimentruns.yaml").read_text() == generated, "run `make docs`"
    assert (
        only(render(), "CustomResourceDefinition", "experimentruns.mlectl.dev")["spec"]
        == yaml.safe_load(generated)["spec"]
    )


@pytest.mark.parametrize("store", [STORE, {"bundled": {"enabled": True}}], ids=["existing store", "bundled store"])
def test_the_controller_and_the_validation_service_can_read_what_it_writes_for_them(store: dict[str, Any]) -> None:
    items = render(store=store)
    settings = Settings.model_validate(yaml.safe_load(only(items, "ConfigMap", "mlectl")["data"]["settings.yaml"]))
    service = only(items, "Deployment", "mlectl-validation")["spec"]["template"]["spec"]["containers"][0]
    order = ValidationOrder.model_validate_json(next(e["value"] for e in service["env"] if e["name"] == "MLECTL_ORDER"))
    assert settings.stores == order.stores
    assert settings.namespace == "mlectl-system"
    assert settings.network.canary == order.canary


def test_a_store_must_be_named() -> None:
    command = [programs.find("helm"), "template", "mlectl", str(CHART)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "or set store.bundled.enabled=true to try things out" in done.stderr
