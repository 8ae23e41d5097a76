"""Every value has an effect: with another one, something else would be applied."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from helm.values import sections
from tests.chart.rendering import BUNDLED, STORE, needs_helm, template

PLACE = {"pool": "cpu"}
TAINT = [{"key": "pool", "operator": "Exists"}]
AMOUNTS = {"requests": {"cpu": "7m"}, "limits": {"memory": "77Mi"}}
WORDS = {"example.com/word": "other"}
PEERS = [{"ipBlock": {"cidr": "10.77.0.0/16"}}]

OTHERS: dict[str, Any] = {
    "image.repository": "registry.example/another",
    "image.tag": "9.9.9",
    "image.digest": f"sha256:{'7' * 64}",
    "image.pullPolicy": "Always",
    "image.pullSecrets": ["registry"],
    "crd.install": False,
    "agents.namespaces": [],
    "agents.createNamespaces": False,
    "agents.nodeSelector": PLACE,
    "agents.tolerations": TAINT,
    "agents.runtimeClassName": "nvidia",
    "agents.priorityClassName": "high",
    "agents.queue": "gpus",
    "agents.cache.claim": "datasets",
    "agents.cache.size": "7Gi",
    "controller.replicas": 1,
    "controller.resources": AMOUNTS,
    "controller.nodeSelector": PLACE,
    "controller.tolerations": TAINT,
    "controller.patienceSeconds": 77,
    "controller.collectionSeconds": 77,
    "controller.podAnnotations": WORDS,
    "validation.replicas": 1,
    "validation.resources": AMOUNTS,
    "validation.storage": "7Gi",
    "validation.perMinute": 7,
    "validation.nodeSelector": PLACE,
    "validation.tolerations": TAINT,
    "validation.existingSecret": "tokens",
    "validation.podAnnotations": WORDS,
    "canary.enabled": False,
    "canary.resources": AMOUNTS,
    "canary.nodeSelector": PLACE,
    "canary.tolerations": TAINT,
    "workers.nodeSelector": PLACE,
    "workers.tolerations": TAINT,
    "workers.prepare": {"cpu": "7", "memory": "7Gi", "storage": "7Gi"},
    "workers.grade": {"cpu": "7", "memory": "7Gi", "storage": "7Gi"},
    "workers.courier": {"cpu": "7m", "memory": "77Mi"},
    "store.endpoint": "http://other.example:8333",
    "store.region": "eu-7",
    "store.buckets": {"public": "other-public", "private": "other-private", "runs": "other-runs"},
    "store.controllerSecret": "others",
    "store.graderSecret": "others",
    "store.caConfigMap": "store-ca",
    "store.peers": PEERS,
    "store.ports": [7777],
    "store.allowPublicStore": True,
    "store.bundled.enabled": True,
    "store.bundled.image": "registry.example/weed:7",
    "store.bundled.storage": "7Gi",
    "store.bundled.storageClass": "fast",
    "store.bundled.persistent": False,
    "store.bundled.resources": AMOUNTS,
    "store.bundled.nodeSelector": PLACE,
    "store.bundled.tolerations": TAINT,
    "kaggle.secret": "kaggle",
    "network.blocked": ["169.254.169.254:80"],
    "network.holdSeconds": 7.5,
    "network.dns": PEERS,
    "network.dnsPorts": [5353],
    "networkPolicies.enabled": False,
    "networkPolicies.monitoring": PEERS,
    "priorityClasses.create": True,
    "priorityClasses.agent": 7,
    "priorityClasses.service": 7,
    "monitoring.serviceMonitor": True,
    "monitoring.rules": True,
    "monitoring.runbookUrl": "https://docs.example/PAGE.html",
    "monitoring.dashboards": True,
    "monitoring.labels": WORDS,
    "monitoring.interval": "7s",
    "monitoring.dashboardLabel": WORDS,
    "test.agentImage": "registry.example/agent:7",
    "test.namespace": "elsewhere",
    "test.gpus": 1,
    "test.timeoutSeconds": 77,
    "test.nodeSelector": PLACE,
    "test.tolerations": TAINT,
}
MONITORED = {"monitoring": {"serviceMonitor": True, "rules": True, "dashboards": True}}
WHERE_IT_COUNTS = {
    "store.bundled.enabled": {"store": STORE},
    "store.bundled": {"store": BUNDLED},
    "priorityClasses.create": {"store": STORE},
    "priorityClasses": {"store": STORE, "priorityClasses": {"create": True}},
    "monitoring.labels": {"store": STORE, **MONITORED},
    "monitoring.runbookUrl": {"store": STORE, **MONITORED},
    "monitoring.interval": {"store": STORE, **MONITORED},
    "monitoring.dashboardLabel": {"store": STORE, **MONITORED},
    "": {"store": STORE},
}
"""What else must be set for values that begin like this; the first that fits."""


@functools.cache
def as_it_was(values: str) -> str:
    return template(json.loads(values))


def nested(path: str, value: Any) -> dict[str, Any]:
    for key in reversed(path.split(".")):
        value = {key: value}
    return dict(value)


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """As Helm merges values."""
    both = {key: merged(one[key], other[key]) for key in one.keys() & other.keys() if isinstance(one[key], dict)}
    return {**one, **other, **both}


def test_the_table_has_every_value():
    assert sorted(OTHERS) == sorted(value.path for section in sections() for value in section.values)


@needs_helm
@pytest.mark.parametrize("path", OTHERS)
def test_a_value_is_reached(path: str) -> None:
    base = next(values for start, values in WHERE_IT_COUNTS.items() if path.startswith(start))
    assert template(merged(base, nested(path, OTHERS[path]))) != as_it_was(json.dumps(base))
