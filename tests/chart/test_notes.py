"""NOTES.txt, which Helm prints after an install: what to do next, given the values."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from tests.chart.rendering import BUNDLED, CHART, NAMESPACE, STORE, helm, needs_helm

pytestmark = needs_helm


def notes(**values: Any) -> str:
    said = helm(
        "install", "mlectl", CHART, "--dry-run=client", f"--namespace={NAMESPACE}", values={"store": STORE, **values}
    )
    return said.partition("NOTES:")[2]


def test_they_name_the_commands_that_come_next():
    told = notes()
    assert "serves experiments in mlectl-runs." in told
    assert "kubectl -n mlectl-system rollout status deployment/mlectl-controller" in told
    assert "helm test mlectl --namespace mlectl-system --logs --timeout 20m\n" in told
    assert "mlectl submit experiment.yaml --namespace mlectl-runs" in told


@pytest.mark.parametrize(
    "values, wanted",
    [
        pytest.param({"store": BUNDLED}, "The bundled store has one disk: fine for trying", id="bundled store"),
        pytest.param(
            {"store": {"bundled": {"enabled": True, "persistent": False}}}, "loses all of it with its pod", id="no disk"
        ),
        pytest.param({"store": STORE}, "store.peers is empty", id="no way to the store"),
        pytest.param({}, "Without kaggle.secret only demo competitions", id="no Kaggle"),
        pytest.param({"canary": {"enabled": False}}, "nothing proves that agents are isolated", id="no canary"),
        pytest.param(
            {"store": {**STORE, "allowPublicStore": True}}, "store.allowPublicStore is set", id="public store"
        ),
        pytest.param({"agents": {"nodeSelector": {"gpu": "a10"}}}, "test.gpus=1", id="GPU nodes"),
        pytest.param({"agents": {"namespaces": []}}, "--set test.namespace=NAMESPACE", id="all namespaces"),
    ],
)
def test_they_warn_of_what_will_be_missed(values, wanted):
    assert wanted in notes(**values)


@pytest.mark.parametrize("allowed, wanted", [(60, "6m"), (900, "20m"), (901, "21m"), (86400, "1445m")])
@pytest.mark.parametrize("namespaces", [["mlectl-runs"], []], ids=["one namespace", "all namespaces"])
def test_helm_waits_longer_than_the_experiment_of_its_test_may_take(allowed, wanted, namespaces):
    told = notes(test={"timeoutSeconds": allowed}, agents={"namespaces": namespaces})
    assert f"--logs --timeout {wanted}\n" in told


def test_the_readmes_command_leaves_no_agent_without_a_store():
    text = (CHART.parents[1] / "README.md").read_text().replace("\\\n", "")
    (command,) = re.findall(r"^ +helm install mlectl helm/mlectl (.+)$", text, re.MULTILINE)
    given = shlex.split(command, comments=True)
    told = helm("install", "mlectl", CHART, "--dry-run=client", *given, values={}).partition("NOTES:")[2]
    assert "serves experiments in mlectl-runs." in told
    assert "store.peers" not in told


def test_they_are_silent_where_nothing_is_missed():
    peers = [{"ipBlock": {"cidr": "10.0.0.0/8"}}]
    told = notes(store={**STORE, "peers": peers}, kaggle={"secret": "kaggle"})
    for word in ("store.peers", "kaggle.secret", "isolated", "allowPublicStore", "test.gpus", "bundled"):
        assert word not in told
