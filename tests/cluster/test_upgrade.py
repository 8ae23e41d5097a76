"""A release through its life on the true node: installed to try things out, tested, upgraded and rolled back in the
middle of an experiment, removed. It brings its own store, as values/trial.yaml says."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster import crd, demo
from tests.cluster.images.made import Images
from tests.cluster.installation import CHART, HERE, helm, small_values
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.pods import restricted_pod, run

TRIAL = CHART / "values" / "trial.yaml"
(BEFORE,) = (CHART.parents[1] / "tests" / "chart" / "previous").glob("*.tgz")
WAIT = ("--wait", "--timeout=5m")
UNTIL_TOLD = """
import os, pathlib, shutil, time
shutil.copy(os.environ["DATA_DIR"] + "/sample_submission.csv", os.environ["SUBMISSION_DIR"] + "/submission.csv")
while not pathlib.Path("/tmp/enough").exists():
    time.sleep(0.2)
"""
DIAL = """
import socket, sys
for address in sys.argv[1:]:
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=3).close()
        print(address, "answers")
    except OSError as error:
        print(address, "does not:", error)
"""
IN_EVERY_NAMESPACE = {"configmap/kube-root-ca.crt", "serviceaccount/default"}
SEEN_ELSEWHERE = {"componentstatuses", "events", "events.events.k8s.io"}
"""The first is deprecated; events go by themselves."""


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
        del values["networkPolicies"]
        return values

    def pods(self, component: str) -> set[str]:
        """The uids of a part's pods that are not on their way out."""
        found = self.plane.get(
            "pods", f"--namespace={self.system}", f"--selector=app.kubernetes.io/component={component}"
        )
        return {one["metadata"]["uid"] for one in found["items"] if "deletionTimestamp" not in one["metadata"]}

    def left(self) -> list[str]:
        """Everything with the release's label anywhere, and everything in its namespaces that is not in every one."""
        label = f"--selector=app.kubernetes.io/instance={self.name}"
        found = [
            self.plane.kubectl("get", self.kinds(), "--all-namespaces", label, "--output=name"),
            self.plane.kubectl("get", self.kinds("--namespaced"), f"--namespace={self.system}", "--output=name"),
            self.plane.kubectl("get", self.kinds("--namespaced"), f"--namespace={self.agents}", "--output=name"),
        ]
        return sorted({one for names in found for one in names.split()} - IN_EVERY_NAMESPACE)

    def kinds(self, *which: str) -> str:
        listed = self.plane.kubectl("api-resources", "--verbs=list", "--output=name", *which).split()
        return ",".join(set(listed) - SEEN_ELSEWHERE)

    def secrets(self) -> dict[str, Any]:
        """Keys that were made at install; a revision of the release is a Secret too."""
        found = self.plane.get("secrets", f"--namespace={self.system}", "--field-selector=type=Opaque")
        return {one["metadata"]["name"]: one["data"] for one in found["items"]}

    def running_agents(self) -> set[str]:
        found = self.plane.get("pods", f"--namespace={self.agents}", "--field-selector=status.phase=Running")
        return {one["metadata"]["name"] for one in found["items"]}

    def wait_for_agents(self, count: int) -> set[str]:
        """The agents' pods, once so many run."""
        deadline = time.monotonic() + 240
        while len(found := self.running_agents()) < count:
            assert time.monotonic() < deadline, f"{count} agents do not run within four minutes: {found}"
            time.sleep(0.5)
        return found


@pytest.fixture(scope="module")
def previous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chart as it was (tests/chart/previous), under a number below today's.

    Its pods run today's image, because a checkout can make no other: what is tried is that Helm and Kubernetes take the
    way from those templates to these and back, and that today's controller reads the settings of both. Its definition
    of ExperimentRun is tried in test_chart.py, because the one here is everybody's.
    """
    folder = tmp_path_factory.mktemp("previous") / "mlectl"
    shutil.unpack_archive(BEFORE, folder.parent, filter="data")
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


def test_our_pods_answer_those_that_they_must(release: Release) -> None:
    ports = {"controller": 8081, "validation": 8080, "store": 8333, "canary": 7}
    asked = {part: f"{release.name}-{part}.{release.system}.svc:{port}" for part, port in ports.items()}
    with release.plane.namespace(restricted=True, prefix="open") as elsewhere:
        anybody = restricted_pod(elsewhere, "anybody", release.images.baseline, "python3", "-c", DIAL, *asked.values())
        agent = restricted_pod(release.agents, "agent", release.images.baseline, "python3", "-c", DIAL, *asked.values())
        agent["metadata"]["labels"] = {
            "mlectl.dev/role": "agent"
        }  # without the policy of an experiment, which is stricter
        open_to = {
            who: {part for part, address in asked.items() if f"{address} answers" in said}
            for who, said in (("anybody", run(release.plane, anybody).log), ("agent", run(release.plane, agent).log))
        }
    release.plane.kubectl("delete", "pod", "agent", f"--namespace={release.agents}", "--now")
    assert open_to == {"anybody": {"canary"}, "agent": {"validation", "store", "canary"}}


@pytest.mark.timeout(900)
def test_an_experiment_does_not_notice_an_upgrade_and_a_rollback(release: Release) -> None:
    body = demo.spec(release.images, UNTIL_TOLD, competitions={"ids": ["demo-wine"]}, budget={"wallClock": "600s"})
    release.plane.apply(demo.experiment(release.agents, "long", body))
    agents = release.wait_for_agents(2)
    secrets = release.secrets()

    for step in (
        ("upgrade", release.name, str(CHART), f"--values={TRIAL}", *WAIT),
        ("rollback", release.name, "1", *WAIT),
    ):
        before = {part: release.pods(part) for part in ("controller", "validation", "store")}
        release.helm(*step, **({"generation": "2", "patience": 700} if step[0] == "upgrade" else {}))
        after = {part: release.pods(part) for part in before}
        assert not before["controller"] & after["controller"], f"{step[0]} has replaced the controller"
        assert not before["validation"] & after["validation"], f"{step[0]} has replaced the validation service"
        assert before["store"] == after["store"], "the store has no reason to start again"
        assert release.secrets() == secrets, "keys outlive it"

    assert release.running_agents() == agents
    for pod in agents:
        release.plane.kubectl(
            "exec", pod, f"--namespace={release.agents}", "--container=agent", "--", "touch", "/tmp/enough"
        )
    where = f"--namespace={release.agents}"
    release.plane.kubectl("wait", "exp/long", where, "--for=condition=Complete", "--timeout=240s")
    status = release.plane.get("exp", "long", where)["status"]
    assert status["phase"] == "Succeeded"
    assert [(row["seed"], row["state"], row["attempt"]) for row in status["results"]] == [
        (0, "Graded", 1),
        (1, "Graded", 1),
    ]
    assert len(release.plane.get("jobs", where)["items"]) == 2, "not one attempt was repeated"


def test_nothing_is_left_but_data(release: Release) -> None:
    """Experiments stay, and their agents' Jobs with them; what prepared and graded for them goes. Of other data there
    is none here: the trial's store has no disk of its own."""
    workers = f"--namespace={release.system}", "--selector=mlectl.dev/role in (prepare, grade)"
    assert release.plane.get("jobs", *workers)["items"]
    release.helm("uninstall", release.name, "--wait", "--timeout=2m")
    assert crd.is_established(release.plane), "the definition stays"
    assert release.plane.get("exp", "long", f"--namespace={release.agents}"), "and so does an experiment"
    wait_until_gone(lambda: release.plane.kubectl("get", "jobs", *workers, "--output=name").split())
    release.plane.kubectl("delete", "exp", "--all", f"--namespace={release.agents}")
    wait_until_gone(release.left)


def wait_until_gone(look: Callable[[], list[str]]) -> None:
    """Pods take their time to end."""
    deadline = time.monotonic() + 90
    while left := look():
        assert time.monotonic() < deadline, f"still there: {left}"
        time.sleep(1)
