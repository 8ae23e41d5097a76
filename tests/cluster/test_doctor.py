"""`mlectl doctor` on a real cluster: a healthy one has no problem, and each thing that is broken gets its sentence."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.cli.doctor.pods import LABEL
from orchestrator.cli.main import run as run_mlectl
from tests.chart.rendering import IMAGE
from tests.cluster import demo
from tests.cluster.cli.played import write_kubeconfig
from tests.cluster.installation import CHART, Installation, helm, secret
from tests.cluster.rig import policies
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.store import BUCKETS
from tests.docs.pages import DOCS, rows
from tests.s3server import Account

DEFINITION = "experimentruns.mlectl.dev"
COMMAND = [sys.executable, "-m", "orchestrator.cli", "doctor"]


@dataclass(frozen=True)
class Found:
    """What the doctor said: its exit code, and its lines by name."""

    code: int
    lines: dict[str, dict[str, str]]

    @property
    def problems(self) -> dict[str, str]:
        return {name: line["found"] for name, line in self.lines.items() if line["verdict"] == "problem"}


Examine = Callable[..., Found]


@pytest.fixture
def examine(capsys: pytest.CaptureFixture[str]) -> Examine:
    """`examine("--probe", ...)`: the command with these arguments."""

    def call(*arguments: str | Path) -> Found:
        capsys.readouterr()
        code = run_mlectl(["doctor", *map(str, arguments), "-o", "json"])
        printed = capsys.readouterr()
        assert code in (0, 3), printed.err
        return Found(code, {line["name"]: line for line in json.loads(printed.out)})

    return call


@pytest.fixture
def flags(installed: Installation, tmp_path: Path) -> list[str]:
    return flags_for(installed, tmp_path)


def flags_for(installed: Installation, folder: Path) -> list[str]:
    """For an installation, and an experiment that fits the true node."""
    file = folder / "small.yaml"
    file.write_text(yaml.safe_dump(demo.experiment(installed.agents, "small", demo.spec(installed.images, ""))))
    where = ["--kubeconfig", str(installed.plane.kubeconfig), "--system-namespace", installed.system]
    return [*where, "-n", installed.agents, "-f", str(file)]


def left_behind(installed: Installation) -> list[str]:
    """Whatever the doctor made and did not remove, in the cluster and in the store."""
    names = []
    for namespace in (installed.system, installed.agents):
        for kind in ("jobs", "pods", "networkpolicies"):
            found = installed.plane.get(kind, f"--namespace={namespace}", f"--selector={LABEL}")["items"]
            names += [f"{kind}/{item['metadata']['name']}" for item in found]
    client = installed.store.client(installed.store.controller)
    for bucket in BUCKETS:
        names += [f"{bucket}/{item.object_name}" for item in client.list_objects(bucket, "doctor/", recursive=True)]
    return names


def test_a_healthy_installation_has_no_problem_and_keeps_nothing_of_the_doctor(
    installed: Installation, examine: Examine, flags: list[str]
) -> None:
    found = examine(*flags, "--probe")
    assert (found.code, found.problems) == (0, {})
    verdicts = {name: line["verdict"] for name, line in found.lines.items()}
    tried = ["network policies", "agents' network", "store as controller", "store as grader", "clocks", "agent's image"]
    assert {name: verdicts[name] for name in tried} == dict.fromkeys(tried, "ok")
    assert "MB/s up" in found.lines["store's speed"]["found"]
    explained = {name for row in rows(DOCS / "install.md", "| Lines |") for name in re.findall("`([^`]+)`", row[0])}
    assert found.lines.keys() - explained == {"cluster", "GPUs"}, "docs/install.md has a table of the lines"
    assert left_behind(installed) == []


def test_policies_that_nobody_enforces_and_keys_that_the_store_does_not_know(
    installed: Installation, examine: Examine, flags: list[str]
) -> None:
    policies.off(installed.agents)
    stranger = replace(installed.store.grader, secret_key="another")
    installed.plane.apply(secret(installed.system, "store-grader", stranger))
    try:
        found = examine(*flags, "--probe")
    finally:
        installed.plane.apply(secret(installed.system, "store-grader", installed.store.grader))
        policies.on(installed.agents)
    assert found.code == 3
    assert set(found.problems) == {"network policies", "store as grader"}
    assert "a pod under a policy reached the canary" in found.problems["network policies"]
    assert "it can't read in public" in found.problems["store as grader"]
    assert left_behind(installed) == []


def test_a_grader_that_could_change_the_answers_and_an_image_that_is_not_there(
    installed: Installation, examine: Examine, flags: list[str], tmp_path: Path
) -> None:
    spec = demo.spec(installed.images, "")
    spec["agent"]["image"] = "no-such-registry.invalid/agent:1"
    file = tmp_path / "other.yaml"
    file.write_text(yaml.safe_dump(demo.experiment(installed.agents, "other", spec)))
    powerful = Account(installed.store.controller.access_key, installed.store.controller.secret_key, ())
    installed.plane.apply(secret(installed.system, "store-grader", powerful))
    try:
        found = examine(*flags[:-1], file, "--probe")
    finally:
        installed.plane.apply(secret(installed.system, "store-grader", installed.store.grader))
    assert found.code == 3
    assert set(found.problems) == {"store as grader", "agent's image"}
    assert "it may write to public and private" in found.problems["store as grader"]
    assert "ImagePull" in found.problems["agent's image"]
    assert "pull secret" in found.lines["agent's image"]["what_to_do"]


def test_nothing_is_left_of_a_doctor_that_was_interrupted(installed: Installation, flags: list[str]) -> None:
    with subprocess.Popen([*COMMAND, *flags, "--probe"], stderr=subprocess.PIPE, text=True) as doctor:
        deadline = time.monotonic() + 60
        while not any(name.startswith("pods/") for name in left_behind(installed)):
            assert time.monotonic() < deadline, "no pod of the doctor's was seen"
            time.sleep(0.1)
        doctor.send_signal(signal.SIGINT)
        _, told = doctor.communicate(timeout=60)
    assert doctor.returncode == 130
    assert told.strip().endswith("Interrupted.")
    assert left_behind(installed) == []


def test_a_person_without_rights_is_told_which(
    installed: Installation, examine: Examine, flags: list[str], kubectl: Callable[..., str], tmp_path: Path
) -> None:
    token = kubectl("create", "token", "default", "-n", installed.agents).strip()
    config = write_kubeconfig(tmp_path / "config", installed.plane, token=token, namespace=installed.agents)
    found = examine(*flags, "--kubeconfig", config)
    assert found.code == 3
    assert found.problems == {
        "your rights": f"you may not get experimentruns.mlectl.dev in {installed.agents}, list "
        f"experimentruns.mlectl.dev in {installed.agents}, create experimentruns.mlectl.dev in {installed.agents}"
    }
    assert "not looked at" in found.lines["nodes"]["found"]


@pytest.fixture
def rendered(spare_control_plane: ControlPlane) -> ControlPlane:
    """The chart on a control plane whose nodes run nothing: all of it is there, and none of it is ready."""
    plane = spare_control_plane
    plane.have_fake_nodes(2)
    helm(plane, "uninstall", "mlectl", "--namespace=mlectl-system", "--ignore-not-found")
    plane.kubectl("delete", "crd", DEFINITION, "--ignore-not-found")
    plane.kubectl("delete", "daemonset", "--all", "--namespace=default")
    store: dict[str, Any] = {"endpoint": "http://store:1", "controllerSecret": "writes", "graderSecret": "reads"}
    values = {"image": IMAGE, "store": store, "agents": {"createNamespaces": True, "namespaces": ["mlectl-runs"]}}
    helm(plane, "install", "mlectl", str(CHART), "--namespace=mlectl-system", "--create-namespace", values=values)
    return plane


def test_what_an_api_server_alone_can_tell(rendered: ControlPlane, examine: Examine, tmp_path: Path) -> None:
    """One break after the other, each with its own sentence; the published setting fits the made-up nodes."""

    def problems(*more: str | Path) -> dict[str, str]:
        found = examine("--kubeconfig", rendered.kubeconfig, *more)
        assert found.code == 3
        lines = {name: found.lines[name]["verdict"] for name in ("GPU model", "container toolkit", "probe")}
        assert lines["GPU model"] == "warning" or more
        assert lines["probe"] == "skipped"
        return found.problems

    at_first = problems()
    assert at_first["leader"].startswith("no controller leads")
    assert set(at_first) <= {"controller", "validation", "canary", "leader"}, "none of our pods runs there"

    rendered.kubectl("delete", "rolebinding", "mlectl-controller", "--namespace=mlectl-runs")
    broken = problems()["controller's rights"]
    assert broken.startswith("mlectl-controller may not list experimentruns.mlectl.dev in mlectl-runs")

    rendered.apply(toolkit("nvcr.io/nvidia/k8s/container-toolkit:v1.16.1-ubuntu20.04"))
    assert "CVE-2024-0132, CVE-2025-23359, CVE-2025-23266" in problems()["container toolkit"]

    large = tmp_path / "large.yaml"
    agent = {"name": "any", "image": "any"}
    spec = {"competitions": {"split": "lite"}, "agent": agent, "resources": {"cpu": "48"}}
    large.write_text(yaml.safe_dump(demo.experiment("mlectl-runs", "large", spec)))
    small = problems("-f", large)["nodes"]
    assert small.startswith("no node has room for 48 CPUs")
    assert small.endswith("comes nearest: 36 CPUs of 48 CPUs")

    crd = rendered.get("crd", DEFINITION)
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["properties"]["seeds"]["maximum"] = 999
    rendered.kubectl("replace", "-f", "-", input=json.dumps(crd))
    assert problems()["definition"].endswith("first at spec.seeds.maximum")

    rendered.kubectl("delete", "crd", DEFINITION)
    assert problems()["definition"] == "the cluster does not know ExperimentRuns"

    helm(rendered, "uninstall", "mlectl", "--namespace=mlectl-system")
    assert problems()["installation"] == "this cluster has no controller of mlectl"


def toolkit(image: str) -> dict[str, Any]:
    """As the GPU operator runs it."""
    labels = {"app": "nvidia-container-toolkit-daemonset"}
    pod = {"nodeSelector": {"no": "node"}, "containers": [{"name": "toolkit", "image": image}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "nvidia-container-toolkit-daemonset", "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }
