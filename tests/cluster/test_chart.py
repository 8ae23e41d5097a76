"""What the chart renders, handed to a real API server. tests/chart looks at it without one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from helm.manifests import FOLDER, OF_THE_CLUSTER
from tests.chart.rendering import NAMESPACE, READY_MADE, STORE, only, render, template
from tests.cluster import crd
from tests.cluster.installation import CHART, helm
from tests.cluster.rig.handle import ControlPlane

AGENTS = "mlectl-runs"
DEFINITION = "experimentruns.mlectl.dev"
SMALLEST = FOLDER.parent / "samples" / "smallest.yaml"
MONITORING = {"serviceMonitor": False, "rules": False, "dashboards": True}
"""The Prometheus Operator's kinds are not on the rig."""
STRICT = ("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict")


@pytest.fixture
def accepts(control_plane: ControlPlane, namespaces: Callable[..., str]) -> Callable[[str], str]:
    """Has the API server look at objects as if it were to keep them, in restricted namespaces of the test."""

    def accepts(text: str) -> str:
        system, agents = namespaces(restricted=True), namespaces(restricted=True)
        objects = list(yaml.safe_load_all(text.replace(NAMESPACE, system).replace(AGENTS, agents)))
        for one in objects:
            if one["kind"] not in OF_THE_CLUSTER:
                one["metadata"].setdefault("namespace", system)
        control_plane.apply(*(one for one in objects if one["kind"] == "ServiceAccount"))  # a pod must have its account
        everything = {"apiVersion": "v1", "kind": "List", "items": objects}
        return control_plane.kubectl(*STRICT, "-f", "-", input=json.dumps(everything))

    return accepts


@pytest.mark.parametrize("file", READY_MADE, ids=lambda file: file.stem)
def test_the_api_server_takes_what_a_ready_made_file_renders(accepts: Callable[[str], str], file: Path) -> None:
    values = {"store": STORE, "monitoring": MONITORING, "priorityClasses": {"create": True}}
    told = accepts(template(values, file))
    assert "deployment.apps/mlectl-controller serverside-applied" in told
    assert ("statefulset.apps/mlectl-store serverside-applied" in told) == (file.stem == "trial")


def test_the_api_server_takes_the_plain_files(control_plane: ControlPlane, accepts: Callable[[str], str]) -> None:
    told = accepts(control_plane.kubectl("kustomize", str(FOLDER)))
    assert "customresourcedefinition.apiextensions.k8s.io/experimentruns.mlectl.dev serverside-applied" in told
    assert "deployment.apps/mlectl-controller serverside-applied" in told


def test_the_definition_is_renewed_by_an_upgrade_and_outlives_the_release(
    spare_control_plane: ControlPlane, tmp_path: Path
) -> None:
    plane, previous = spare_control_plane, tmp_path / "mlectl"
    plane.kubectl("delete", "crd", DEFINITION, "--ignore-not-found", "--timeout=60s")  # another test's
    shutil.copytree(CHART, previous)
    definition = previous / "files" / "experimentruns.yaml"
    older = yaml.safe_load(definition.read_text())
    older["spec"]["names"]["categories"] = ["older"]
    definition.write_text(yaml.safe_dump(older))

    def install(chart: Path) -> list[str]:
        """The categories of the definition, once the release is there. Its pods find no node here."""
        where = ("--install", f"--namespace={NAMESPACE}", "--create-namespace")
        helm(plane, "upgrade", "mlectl", str(chart), *where, values={"store": STORE})
        names: list[str] = plane.get("crd", DEFINITION)["spec"]["names"]["categories"]
        return names

    assert install(previous) == ["older"]
    plane.kubectl("wait", f"crd/{DEFINITION}", "--for=condition=Established", "--timeout=60s")
    plane.kubectl("apply", f"--namespace={AGENTS}", "-f", str(SMALLEST))
    assert install(CHART) == ["mlectl"]
    helm(plane, "uninstall", "mlectl", f"--namespace={NAMESPACE}")
    assert plane.get("exp", "smallest", f"--namespace={AGENTS}"), "an experiment outlives the release"
    assert install(CHART) == ["mlectl"], "and the next one of that name takes up what is there"


def test_helm_test_says_so_when_no_controller_looks_at_its_experiment(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    crd.install(control_plane)
    for name, text in only(render(), "ConfigMap", "mlectl-test")["data"].items():
        (tmp_path / name).write_text(text)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    config = str(control_plane.kubeconfig)
    environment = {"NAMESPACE": namespace, "SECONDS_ALLOWED": "5", "HOME": str(tmp_path), "KUBECONFIG": config}
    done = subprocess.run(
        ["sh", str(tmp_path / "test.sh")],
        env={**environment, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    told = done.stderr.splitlines()[-1]
    assert re.fullmatch(
        rf"helm test: {namespace}/helm-test-\d+ is Pending after at most 5 s, not Succeeded\. .*", told
    ), done.stderr
