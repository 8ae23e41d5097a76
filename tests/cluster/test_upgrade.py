"""A release through its life on the true node: installed to try things out, tested, upgraded and rolled back in the
middle of an experiment, removed. It brings its own store, as values/trial.yaml says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster import crd
from tests.cluster.images.made import Images
from tests.cluster.installation import CHART, HERE, helm, small_values
from tests.cluster.rig.handle import ControlPlane

TRIAL = CHART / "values" / "trial.yaml"
WAIT = ("--wait", "--timeout=5m")
SLOW = """
import os, shutil, time
shutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", os.environ["SUBMISSION_DIR"] + "/submission.csv")
deadline = time.time() + 600
while not os.path.exists("/tmp/go") and time.time() < deadline:
    time.sleep(0.5)
"""
KEPT_IN_EVERY_NAMESPACE = {("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")}
PASSING = {"Event", "Endpoints", "EndpointSlice", "PodMetrics"}


@dataclass(frozen=True)
class Release:
    """A release of a name of its own: another session may have one too."""

    plane: ControlPlane
    images: Images
    name: str
    system: str
    agents: str

    def helm(self, *argv: str, **changed: Any) -> str:
        return helm(self.plane, *argv, f"--namespace={self.system}", values=self.values(**changed) if changed else None)

    def values(self, **changed: Any) -> dict[str, Any]:
        """Those of the rig on top of values/trial.yaml; `changed` has values of the controller and the service."""
        values = small_values(self.images, self.agents)
        values["store"] = {"bundled": {"image": self.images.store, "persistent": False, "nodeSelector": HERE}}
        for part in ("controller", "validation"):
            values[part] |= {"replicas": 2, "podAnnotations": {"rig/generation": changed["generation"]}}
        values["controller"]["patienceSeconds"] = changed["patience"]
        return values

    def pods(self, component: str) -> set[str]:
        """The uids of a part's pods that are not on their way out."""
        found = self.plane.get(
            "pods", f"--namespace={self.system}", f"--selector=app.kubernetes.io/component={component}"
        )
        return {one["metadata"]["uid"] for one in found["items"] if "deletionTimestamp" not in one["metadata"]}

    def experiment(self, name: str) -> dict[str, Any]:
        return self.plane.get("exp", name, f"--namespace={self.agents}")


@pytest.fixture(scope="module")
def previous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chart as it might have been before: another version of chart and application."""
    folder = tmp_path_factory.mktemp("previous") / "mlectl"
    shutil.copytree(CHART, folder)
    told = yaml.safe_load((folder / "Chart.yaml").read_text())
    (folder / "Chart.yaml").write_text(yaml.safe_dump(told | {"version": "0.0.9", "appVersion": "0.0.9"}))
    return folder


@pytest.fixture(scope="module")
def release(control_plane: ControlPlane, images: Images, previous: Path) -> Iterator[Release]:
    crd.install(control_plane)
    with control_plane.namespace(restricted=True, prefix="trial") as system:
        name = system.replace("trial", "mlectl")
        with control_plane.namespace(restricted=True) as agents:
            made = Release(control_plane, images, name, system, agents)
            made.helm("install", name, str(previous), f"--values={TRIAL}", *WAIT, generation="1", patience=600)
            yield made
            made.helm("uninstall", name, "--ignore-not-found")


@pytest.mark.timeout(600)
def test_helm_test_runs_an_experiment_and_prints_its_report(release: Release) -> None:
    said = release.helm("test", release.name, "--logs", "--timeout=9m")
    assert "demo-wine" in said
    assert "helm test: an experiment went from its submission to its report." in said
