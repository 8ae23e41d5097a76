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
from tests.chart.rendering import IMAGE, NAMESPACE, READY_MADE, STORE, only, render, template
from tests.cluster import crd
from tests.cluster.crd import DEFINITION
from tests.cluster.installation import CHART, helm
from tests.cluster.rig.handle import ControlPlane

AGENTS = "mlectl-runs"
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


@pytest.fixture
def bare(spare_control_plane: ControlPlane) -> ControlPlane:
    """A control plane that knows no ExperimentRuns. Its nodes run nothing."""
    spare_control_plane.kubectl("delete", "crd", DEFINITION, "--ignore-not-found", "--timeout=60s")  # another test's
    return spare_control_plane


def deploy(plane: ControlPlane, name: str, system: str, agents: str, chart: Path = CHART) -> str:
    """`helm upgrade --install`, with as few values as there may be; what it prints."""
    where = ("--install", f"--namespace={system}", "--create-namespace")
    values = {"image": IMAGE, "store": STORE, "agents": {"namespaces": [agents]}}
    return helm(plane, "upgrade", name, str(chart), *where, values=values)


def test_the_definition_is_renewed_by_an_upgrade_and_outlives_the_release(bare: ControlPlane, tmp_path: Path) -> None:
    plane, previous = bare, tmp_path / "mlectl"
    shutil.copytree(CHART, previous)
    definition = previous / "files" / "experimentruns.yaml"
    older = yaml.safe_load(definition.read_text())
    older["spec"]["names"]["categories"] = ["older"]
    definition.write_text(yaml.safe_dump(older))

    def install(chart: Path) -> list[str]:
        """The categories of the definition, once the release is there. Its pods find no node here."""
        deploy(plane, "mlectl", NAMESPACE, AGENTS, chart)
        names: list[str] = plane.get("crd", DEFINITION)["spec"]["names"]["categories"]
        return names

    assert install(previous) == ["older"]
    crd.wait_until_established(plane)
    plane.kubectl("apply", f"--namespace={AGENTS}", "-f", str(SMALLEST))
    assert install(CHART) == ["mlectl"]
    helm(plane, "uninstall", "mlectl", f"--namespace={NAMESPACE}")
    assert plane.get("exp", "smallest", f"--namespace={AGENTS}"), "an experiment outlives the release"
    assert install(CHART) == ["mlectl"], "and the next one of that name takes up what is there"


def owner(plane: ControlPlane, *what: str) -> str | None:
    """The release that an object of the cluster is of."""
    release: str | None = plane.get(*what)["metadata"].get("annotations", {}).get("meta.helm.sh/release-name")
    return release


def test_a_definition_and_a_namespace_that_are_there_already_are_left_alone(bare: ControlPlane) -> None:
    """As where somebody else applies the definition, and where agents' namespace has a pull secret already."""
    crd.install(bare)
    with bare.namespace(prefix="agents") as agents, bare.namespace(prefix="first") as system:
        for _ in ("install", "upgrade"):
            told = deploy(bare, "mlectl", system, agents)
            assert "The definition of ExperimentRun was there already" in told
            assert f"Namespace {agents} was there already" in told
            assert (owner(bare, "crd", DEFINITION), owner(bare, "namespace", agents)) == (None, None)
            assert bare.get("role", "mlectl-controller", f"--namespace={agents}"), "and it is served"
        helm(bare, "rollback", "mlectl", "1", f"--namespace={system}")
        helm(bare, "uninstall", "mlectl", f"--namespace={system}")
        assert bare.get("namespace", agents)["status"]["phase"] == "Active"
        assert crd.is_established(bare)


def test_what_a_release_has_left_behind_stops_no_release_of_another_name(bare: ControlPlane) -> None:
    with bare.namespace(prefix="first") as first, bare.namespace(prefix="second") as second:
        agents = f"{first}-runs"
        assert "was there already" not in deploy(bare, "mlectl", first, agents)
        assert (owner(bare, "crd", DEFINITION), owner(bare, "namespace", agents)) == ("mlectl", "mlectl")
        helm(bare, "uninstall", "mlectl", f"--namespace={first}")
        told = deploy(bare, "another", second, agents)
        assert "The definition of ExperimentRun was there already" in told
        assert "Namespace" not in told, "it still enforces what it should"
        assert (owner(bare, "crd", DEFINITION), owner(bare, "namespace", agents)) == ("mlectl", "mlectl")
        assert bare.get("role", "another-mlectl-controller", f"--namespace={agents}"), "and it is served"
        helm(bare, "uninstall", "another", f"--namespace={second}")
        bare.kubectl("delete", "namespace", agents, "--wait=false")


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
