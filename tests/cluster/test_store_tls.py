"""A store that speaks TLS with a certificate of a private authority: whoever talks to it trusts that authority alone.

An installation of its own, because `store.caConfigMap` holds for all of it. Its tests go from well to worse.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import urllib3

from tests.cluster import crd, demo
from tests.cluster.images.made import Images
from tests.cluster.installation import AUTHORITY, RELEASE, Installation, authority, install
from tests.cluster.rig import certificates
from tests.cluster.rig import store as cluster_store
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.kubectl import Object
from tests.cluster.test_doctor import Examine, examine, flags_for  # noqa: F401 (a fixture)

AGENT = """
import json, os, pathlib, urllib.request
assert "SSL_CERT_FILE" not in os.environ and not os.path.exists("/etc/mlectl-ca"), "an agent has no business there"
sample = pathlib.Path(os.environ["DATA_DIR"], "sample_submission.csv").read_bytes()
form = b'--b\\r\\nContent-Disposition: form-data; name="file"\\r\\n\\r\\n' + sample + b"\\r\\n--b--\\r\\n"
head = {"Content-Type": "multipart/form-data; boundary=b"}
with urllib.request.urlopen(urllib.request.Request(os.environ["VALIDATION_URL"] + "/validate", form, head)) as answer:
    assert json.load(answer)["is_valid"]
pathlib.Path(os.environ["SUBMISSION_DIR"], "submission.csv").write_bytes(sample)
"""
"""It leaves a submission only if that was found valid, for which the validation service has to fetch the answers."""
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def secured(control_plane: ControlPlane, images: Images) -> Iterator[Installation]:
    """mlectl with such a store; the authority is in a ConfigMap of both namespaces."""
    crd.install(control_plane)
    with cluster_store.run(control_plane, tls=True) as store, install(control_plane, store, images) as ready:
        yield ready


@pytest.fixture
def run(secured: Installation, kubectl: Callable[..., str]) -> Callable[[str], Object]:
    """`run(name)`: the status that an experiment of one run ends with, its first attempt being its last."""

    def run(name: str) -> Object:
        kept = {"seeds": 1, "competitions": {"ids": ["demo-wine"]}, "retries": {"infrastructure": 0}}
        secured.plane.apply(demo.experiment(secured.agents, name, demo.spec(secured.images, AGENT, **kept)))
        kubectl("wait", f"exp/{name}", f"--namespace={secured.agents}", "--for=condition=Complete", "--timeout=240s")
        status: Object = secured.plane.get("exp", name, f"--namespace={secured.agents}")["status"]
        return status

    return run


@pytest.fixture
def flags(secured: Installation, tmp_path: Path) -> list[str]:
    """Of `mlectl doctor`, for the installation."""
    return [*flags_for(secured, tmp_path), "--probe"]


@contextmanager
def trusting_nobody(installed: Installation, namespace: str) -> Iterator[None]:
    """The namespace has no ConfigMap with an authority."""
    installed.plane.kubectl("delete", "configmap", AUTHORITY, f"--namespace={namespace}")
    yield
    installed.plane.apply(authority(namespace, installed.store.authority))


@contextmanager
def trusting_another(installed: Installation, namespace: str, pki: Path) -> Iterator[None]:
    """Its ConfigMap has the certificate of somebody else."""
    certificates.make_authority(pki)
    installed.plane.apply(authority(namespace, (pki / "ca.crt").read_text()))
    yield
    installed.plane.apply(authority(namespace, installed.store.authority))


def test_an_experiment_succeeds_and_the_agents_namespace_has_no_secret(
    secured: Installation, run: Callable[[str], Object]
) -> None:
    status = run("sealed")
    (row,) = status["results"]
    assert (status["phase"], row["state"], row.get("valid")) == ("Succeeded", "Graded", True), status
    assert secured.store.endpoint.startswith("https:")
    plain = urllib3.request("GET", secured.store.endpoint.replace("https:", "http:"), retries=False)
    assert plain.status == 400, "the store speaks nothing but TLS"

    assert secured.plane.get("secrets", f"--namespace={secured.agents}")["items"] == []
    (job,) = secured.plane.get("jobs", f"--namespace={secured.agents}")["items"]
    pod = job["spec"]["template"]["spec"]
    volume = next(one["name"] for one in pod["volumes"] if one.get("configMap", {}).get("name") == AUTHORITY)
    having = [
        container["name"]
        for container in (*pod["initContainers"], *pod["containers"])
        if volume in {mount["name"] for mount in container["volumeMounts"]}
    ]
    assert having == ["stage", "probe", "courier"]


def test_a_person_who_trusts_the_authority_reads_the_report(secured: Installation, tmp_path: Path) -> None:
    trusted = tmp_path / "ca.crt"
    trusted.write_text(secured.store.authority)
    where = ["--kubeconfig", str(secured.plane.kubeconfig), "-n", secured.agents]
    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli", "report", "sealed", *where],
        env={**os.environ, **secured.store.grader.environment, "SSL_CERT_FILE": str(trusted)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 of 1 run with a result" in done.stdout, done.stderr


def test_the_doctor_finds_nothing_wrong(secured: Installation, examine: Examine, flags: list[str]) -> None:  # noqa: F811
    found = examine(*flags)
    assert (found.code, found.problems) == (0, {})
    assert found.lines["clocks"]["verdict"] == "ok"


def test_a_run_whose_namespace_lacks_the_authority_says_what_to_bring(
    secured: Installation, run: Callable[[str], Object]
) -> None:
    with trusting_nobody(secured, secured.agents):
        status = run("trusting-nobody")
    (row,) = status["results"]
    assert (row["state"], row["reason"]) == ("Failed", "StoreUnavailable")
    told = wait_for_line("Cannot trust the server", lambda: events(secured, "trusting-nobody"))
    assert "/etc/mlectl-ca/ca.crt: No such file or directory" in told
    assert "into the namespace's ConfigMap that store.caConfigMap names" in told


def test_another_authority_is_not_enough_and_doctor_log_and_events_say_so(
    secured: Installation,
    examine: Examine,  # noqa: F811
    flags: list[str],
    tmp_path: Path,
) -> None:
    with (
        trusting_another(secured, secured.system, tmp_path / "another"),
        trusting_nobody(secured, secured.agents),
    ):
        found = examine(*flags)
        restart_controller(secured)
        told = wait_for_line("Cannot trust the server", lambda: log(secured))
        seen = wait_for_line("Cannot trust the server", lambda: events(secured, "sealed"))
    assert found.problems.keys() == {"store as controller", "store as grader", "store's speed", "agents' network"}
    for name in found.problems:
        assert "store.caConfigMap" in found.lines[name]["what_to_do"]
    assert "certificate verify failed" in found.problems["store as controller"]
    assert "/etc/mlectl-ca/ca.crt: No such file" in found.problems["agents' network"]
    assert "in a cluster: the chart's store.caConfigMap" in told
    assert "in a cluster: the chart's store.caConfigMap" in seen, "and whoever describes an experiment reads it too"


def restart_controller(installed: Installation) -> None:
    """It keeps connections that were trusted once."""
    deployment = (f"--namespace={installed.system}", f"deployment/{RELEASE}-controller")
    installed.plane.kubectl("rollout", "restart", *deployment)
    installed.plane.kubectl("rollout", "status", *deployment, "--timeout=120s")


def log(installed: Installation) -> str:
    """The controller's."""
    return installed.plane.kubectl("logs", f"--namespace={installed.system}", f"deployment/{RELEASE}-controller")


def events(installed: Installation, experiment: str) -> str:
    """What was told of an experiment, a line each."""
    found = installed.plane.get("events", f"--namespace={installed.agents}")["items"]
    return "\n".join(one["message"] for one in found if one["involvedObject"]["name"] == experiment)


def wait_for_line(words: str, look: Callable[[], str]) -> str:
    """The first line with these words, once there is one."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        text = look()
        if line := next((line for line in text.splitlines() if words in line), None):
            return line
        assert time.monotonic() < deadline, f"nobody says {words!r}:\n{text[-3000:]}"
        time.sleep(0.5)
