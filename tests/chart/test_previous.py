"""From the chart of the version before to this one: what an API server does not let change has not changed.

`previous` has that chart as it was packed. tests/cluster/test_upgrade.py takes the way on a real cluster.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from helm.values import CHART
from orchestrator.cluster.kubernetes.settings import Settings
from tests.chart.rendering import BUNDLED, NAMESPACE, Object, helm, needs_helm, only

(PREVIOUS,) = Path(__file__).with_name("previous").glob("*.tgz")
FIXED = {
    "Deployment": ("selector",),
    "StatefulSet": ("selector", "serviceName", "volumeClaimTemplates"),
    "RoleBinding": ("roleRef",),
    "Service": (),
    "Secret": ("type",),
    "Lease": (),
}
"""Kinds that must go on under their names, and what of them is fixed once they are there."""

pytestmark = needs_helm


def render(chart: Path) -> list[Object]:
    text = helm("template", "mlectl", chart, f"--namespace={NAMESPACE}", "--no-hooks", values={"store": BUNDLED})
    return [item for item in yaml.safe_load_all(text) if item]


def fixed(items: list[Object]) -> dict[tuple[str, str, str], dict[str, Any]]:
    found = {}
    for item in items:
        if (kind := item["kind"]) in FIXED:
            metadata, spec = item["metadata"], item.get("spec") or {}
            values = {key: item.get(key, spec.get(key)) for key in FIXED[kind]}
            found[kind, metadata.get("namespace", NAMESPACE), metadata["name"]] = values
    return found


def test_nothing_has_changed_that_is_fixed():
    before, now = fixed(render(PREVIOUS)), fixed(render(CHART))
    assert len(before) > 10
    assert before.items() <= now.items()


def test_this_version_reads_the_settings_of_the_one_before():
    """As it must while an upgrade is under way, and on the way back."""
    text = only(render(PREVIOUS), "ConfigMap", "mlectl")["data"]["settings.yaml"]
    assert Settings.model_validate(yaml.safe_load(text)).namespace == NAMESPACE
