"""What the chart renders, handed to a real API server. tests/chart looks at it without one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from helm.manifests import FOLDER, OF_THE_CLUSTER
from orchestrator.api.types import ExperimentRunSpec, ExperimentRunStatus, Phase, ResultRow, RunState
from orchestrator.cluster.kubernetes.api import Api
from tests.chart.rendering import IMAGE, NAMESPACE, READY_MADE, STORE, Object, only, render, template
from tests.chart.test_previous import PREVIOUS
from tests.cluster import crd
from tests.cluster.crd import DEFINITION
from tests.cluster.installation import CHART, helm
from tests.cluster.rig.handle import ControlPlane
from tests.worker.waiting import wait_for

AGENTS = "mlectl-runs"
SMALLEST = FOLDER.parent / "samples" / "smallest.yaml"
MONITORING = {"serviceMonitor": False, "rules": False, "dashboards": True}
"""test_operator_objects.py has an API server that knows the Prometheus Operator's kinds."""
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


def fields(schema: Object, above: str = "") -> Iterator[str]:
    """The path of every field that a schema knows."""
    for name, inside in schema.get("properties", {}).items():
        yield f"{above}{name}"
        yield from fields(inside, f"{above}{name}.")
    yield from fields(schema["items"], above) if "items" in schema else ()


def known_fields(definition: Object) -> set[str]:
    (version,) = definition["spec"]["versions"]
    return set(fields(version["schema"]["openAPIV3Schema"]))


def read(plane: ControlPlane, namespace: str) -> tuple[ExperimentRunSpec, ExperimentRunStatus]:
    """The experiment as this version reads what the API server has."""
    item = plane.get("exp", "smallest", f"--namespace={namespace}")
    return ExperimentRunSpec.model_validate(item["spec"]), ExperimentRunStatus.model_validate(item["status"])


def test_an_experiment_of_the_version_before_is_read_by_this_one_and_on_the_way_back(bare: ControlPlane) -> None:
    """Under the definition that the chart of that version brought, which both ways are Helm's to change."""
    api = Api.connect(bare.kubeconfig)
    row = ResultRow(competition="spaceship-titanic", seed=0, state=RunState.QUEUED)
    older = ExperimentRunStatus(phase=Phase.RUNNING, results=(row,))
    newer = older.model_copy(update={"results": (row.model_copy(update={"message": "no node has room"}),)}).to_dict()
    with bare.namespace(prefix="before") as system:
        agents = f"{system}-runs"
        deploy(bare, "mlectl", system, agents, PREVIOUS)
        crd.wait_until_established(bare)
        known_before = known_fields(bare.get("crd", DEFINITION))
        bare.kubectl("apply", f"--namespace={agents}", "-f", str(SMALLEST))
        crd.write_status(api, agents, "smallest", **older.to_dict())
        written, _ = read(bare, agents)

        deploy(bare, "mlectl", system, agents)
        today = yaml.safe_load((CHART / "files" / "experimentruns.yaml").read_text())
        assert known_fields(bare.get("crd", DEFINITION)) == known_fields(today)
        assert read(bare, agents) == (written, older)
        wait_for(
            "a status of this version, and all of it kept",
            lambda: crd.write_status(api, agents, "smallest", **newer)["status"] == newer,
        )

        helm(bare, "rollback", "mlectl", "1", f"--namespace={system}")
        assert known_fields(bare.get("crd", DEFINITION)) == known_before
        spec, status = read(bare, agents)
        assert (spec, status.phase, status.results[0].state) == (written, Phase.RUNNING, RunState.QUEUED)
        helm(bare, "uninstall", "mlectl", f"--namespace={system}")
        bare.kubectl("delete", "namespace", agents, "--wait=false")


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
