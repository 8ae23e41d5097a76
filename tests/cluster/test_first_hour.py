"""An operator's first hour, step by step: from nothing to a report in a browser, and back to nothing.

Each step is the command of the docs, and is timed: `make first-hour` prints the times and leaves them, the report and
its picture in `first-hour/`.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.images.made import Images
from tests.cluster.installation import CHART, helm
from tests.cluster.prometheus import Prometheus, scraping
from tests.cluster.rig import programs
from tests.cluster.rig.handle import ControlPlane
from tests.report.test_page import browser  # noqa: F401 (a fixture)

ROOT = Path(__file__).parents[2]
VALUES = Path(__file__).with_name("first_hour.yaml")
SAMPLE = ROOT / "manifests" / "samples" / "demo.yaml"
RULES = CHART / "files" / "rules.yaml"
FOLDER = "MLECTL_FIRST_HOUR"
RELEASE = "mlectl"
EVERYTHING = "all,configmaps,secrets,networkpolicies,roles,rolebindings,leases,serviceaccounts,persistentvolumeclaims"
IN_EVERY_NAMESPACE = {"configmap/kube-root-ca.crt", "serviceaccount/default"}


@dataclass
class Journey:
    """What was done and how long it took, on the screen as it goes and in a file."""

    folder: Path
    steps: list[dict[str, Any]] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        begun = time.monotonic()
        yield
        seconds = round(time.monotonic() - begun, 1)
        self.steps.append({"step": name, "seconds": seconds})
        total = round(sum(one["seconds"] for one in self.steps), 1)
        (self.folder / "times.json").write_text(json.dumps({"steps": self.steps, "seconds": total}, indent=1))
        print(f"{seconds:8.1f} s  {name}", flush=True)


@pytest.fixture
def journey(tmp_path: Path) -> Journey:
    folder = Path(os.environ.get(FOLDER) or tmp_path / "first-hour").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return Journey(folder)


@pytest.mark.browser
@pytest.mark.timeout(1800)
def test_from_nothing_to_a_report_and_back(
    request: pytest.FixtureRequest,
    journey: Journey,
    tmp_path: Path,
    browser: Any,  # noqa: F811
) -> None:
    with journey.step("the cluster: control plane, node, images"):
        plane: ControlPlane = request.getfixturevalue("control_plane")
        images: Images = request.getfixturevalue("images")
    mark = uuid.uuid4().hex[:6]
    system, runs = f"first-hour-{mark}", f"first-hour-{mark}-runs"
    try:
        with journey.step("helm install: controller, validation service, canary and store are ready"):
            install(plane, system, runs)
        with journey.step("mlectl doctor --probe finds no problem"):
            mlectl(plane, "doctor", "--probe", "--system-namespace", system, "-f", demo_file(tmp_path, images, runs))
        with journey.step("helm test"):
            told = helm(plane, "test", RELEASE, f"--namespace={system}", "--logs")
        assert "helm test: an experiment went from its submission to its report." in told
        with scraping(f"{leader_address(plane, system)}:8081", tmp_path / "prometheus", RULES) as prometheus:
            with journey.step("Prometheus scrapes the controller"):
                wait_for(prometheus, "mlectl_leader == 1")
            with journey.step("kubectl apply of the demo, until it has succeeded"):
                plane.kubectl("apply", "-f", str(demo_file(tmp_path, images, runs)))
                plane.kubectl(
                    "wait",
                    "exp/demo",
                    f"--namespace={runs}",
                    "--for=jsonpath={.status.phase}=Succeeded",
                    "--timeout=900s",
                )
            with journey.step("Prometheus has its medals"):
                wait_for(
                    prometheus, f'mlectl_any_medal_percent{{namespace="{runs}", experiment="demo", figure="mean"}}'
                )
        with journey.step("mlectl report --html, through a port-forward"):
            page = journey.folder / "report.html"
            write_report(plane, system, runs, page)
        with journey.step("the report in Chromium"):
            seen = look_at(browser, page, journey.folder / "report.png")
        status = plane.get("exp", "demo", f"--namespace={runs}")["status"]
        assert seen.title == "demo: MLE-bench report (demo)"
        assert seen.any_medal == status["summary"]["demo"]["anyMedalPercent"]["mean"]
        assert seen.complaints == []
        with journey.step("mlectl delete and helm uninstall, until nothing is left"):
            mlectl(plane, "delete", "demo", "--yes", "--namespace", runs)
            wait_until_gone(plane, system, "jobs,pods", "--selector=mlectl.dev/role in (prepare, grade)")
            helm(plane, "uninstall", RELEASE, f"--namespace={system}")
            wait_until_gone(plane, system, EVERYTHING)
    finally:
        remove(plane, system, runs)


def install(plane: ControlPlane, system: str, runs: str) -> None:
    """The chart's defaults and the values of the rig. On a cluster that others use too, the definition is theirs."""
    where = [f"--namespace={system}", "--create-namespace", f"--values={VALUES}", f"--set=agents.namespaces={{{runs}}}"]
    helm(plane, "install", RELEASE, str(CHART), *where, "--wait", "--timeout=5m")


def demo_file(folder: Path, images: Images, namespace: str) -> Path:
    """The sample with the rig's image and less of everything: one seed on a share of a CPU."""
    demo = yaml.safe_load(SAMPLE.read_text())
    demo["metadata"]["namespace"] = namespace
    demo["spec"] |= {"seeds": 1, "resources": {"cpu": "400m", "memory": "1Gi", "gpu": {"count": 0}, "storage": "1Gi"}}
    demo["spec"]["agent"]["image"] = images.baseline
    file = folder / "demo.yaml"
    file.write_text(yaml.safe_dump(demo))
    return file


def mlectl(plane: ControlPlane, *arguments: str | Path, **environment: str) -> str:
    command = [sys.executable, "-m", "orchestrator.cli", *map(str, arguments), "--kubeconfig", str(plane.kubeconfig)]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def leader_address(plane: ControlPlane, system: str) -> str:
    """Of the pod that leads: it alone has experiments to tell of."""
    holder = plane.get("lease", "mlectl-controller", f"--namespace={system}")["spec"]["holderIdentity"]
    pod = plane.get("pod", holder.rpartition("_")[0], f"--namespace={system}")
    return str(pod["status"]["podIP"])


def wait_for(prometheus: Prometheus, query: str, within_seconds: float = 60) -> None:
    deadline = time.monotonic() + within_seconds
    while not prometheus.has_data(query):
        assert time.monotonic() < deadline, f"Prometheus has no data for {query}"
        time.sleep(0.5)


def write_report(plane: ControlPlane, system: str, runs: str, page: Path) -> None:
    """As a person does it whose machine is not in the cluster: a way to the store, and a key of it."""
    secret = plane.get("secret", f"{RELEASE}-store-grader", f"--namespace={system}")["data"]
    keys = {name: base64.b64decode(value).decode() for name, value in secret.items()}
    with forwarded(plane, system, f"service/{RELEASE}-store", 8333) as port:
        store = f"s3://{RELEASE}-runs?endpoint=http://127.0.0.1:{port}"
        where = ["--namespace", runs]
        mlectl(plane, "report", "demo", "--html", "--to", page, *where, **keys, MLECTL_STORE_RUNS=store)


@contextmanager
def forwarded(plane: ControlPlane, namespace: str, target: str, port: int) -> Iterator[int]:
    """The port of this machine behind which that port of the cluster is."""
    command = [programs.find("kubectl"), f"--kubeconfig={plane.kubeconfig}", "port-forward", target, f":{port}"]
    with subprocess.Popen([*command, f"--namespace={namespace}"], stdout=subprocess.PIPE, text=True) as forwarding:
        try:
            assert forwarding.stdout
            told = re.match(r"Forwarding from 127\.0\.0\.1:(\d+)", forwarding.stdout.readline())
            assert told, "kubectl port-forward ended"
            yield int(told[1])
        finally:
            forwarding.terminate()


@dataclass(frozen=True)
class Seen:
    """What a person sees first on a report's page."""

    title: str
    any_medal: float
    complaints: list[str]


def look_at(browser: Any, page: Path, picture: Path) -> Seen:  # noqa: F811
    complaints: list[str] = []
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(page.as_uri())
    figure = opened.locator(".figure").first.inner_text()
    seen = Seen(opened.title(), float(figure.split("%")[0]), complaints)
    opened.screenshot(path=str(picture), full_page=True)
    opened.close()
    return seen


def wait_until_gone(plane: ControlPlane, namespace: str, kinds: str, *selection: str) -> None:
    """Nothing of these kinds is there but what every namespace has."""
    deadline = time.monotonic() + 120
    while left := set(plane.kubectl("get", kinds, f"--namespace={namespace}", "--output=name", *selection).split()):
        if left <= IN_EVERY_NAMESPACE:
            return
        assert time.monotonic() < deadline, f"{namespace} still has {left}"
        time.sleep(0.5)


def remove(plane: ControlPlane, system: str, runs: str) -> None:
    helm(plane, "uninstall", RELEASE, f"--namespace={system}", "--ignore-not-found")
    plane.kubectl("delete", "namespace", system, runs, "--wait=false", "--ignore-not-found")
