"""What an agent can reach and find, looked at from inside its container, and from a pod that nothing protects."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster import demo
from tests.cluster.installation import RELEASE, Installation
from tests.cluster.rig import policies
from tests.cluster.rig.layout import API_SERVICE, METADATA_ADDRESS, NODE_ADDRESS
from tests.cluster.rig.pods import restricted_pod, run
from tests.cluster.rig.store import PRIVATE, PUBLIC, RUNS

EXPLORER = """
import json, os, pathlib, shutil, socket, urllib.error, urllib.request

def connects(address):
    host, port = address.rsplit(":", 1)
    try:
        with socket.create_connection((host, int(port)), timeout=3):
            return True
    except OSError:
        return False

def answer(url):
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return str(error)

def readable(path):
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        return type(error).__name__

asked = json.loads(os.environ["ASKED"])
told = {
    "connects": {name: connects(address) for name, address in asked["connect"].items()},
    "answers": {name: answer(url) for name, url in asked["fetch"].items()},
    "folders": {path: readable(path) for path in ("/private", "/task", "/var/run/secrets", "/home", "/mlectl")},
    "processes": sorted(
        pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(bytes(1), b" ").decode()[:200]
        for pid in os.listdir("/proc") if pid.isdigit()
    ),
    "environment": dict(os.environ),
    "identity": [os.getuid(), pathlib.Path("/proc/self/status").read_text()],
}
try:
    pathlib.Path("/home/data/planted").write_text("x")
    told["data"] = "writable"
except OSError as error:
    told["data"] = type(error).__name__
print(json.dumps(told))
sample = pathlib.Path("/home/data/sample_submission.csv")
if sample.exists():
    pathlib.Path("/home/logs/told.json").write_text(json.dumps(told))
    shutil.copy(sample, "/home/submission/submission.csv")
"""


def asked_of(installed: Installation) -> dict[str, dict[str, str]]:
    """Addresses to try, and documents to ask the store and the validation service for without a key."""
    system, store = installed.system, installed.store.endpoint
    pods = installed.plane.get("pods", f"--namespace={system}")["items"]
    controller = next(pod for pod in pods if "controller" in pod["metadata"]["name"])
    return {
        "connect": {
            "API server": f"{API_SERVICE}:443",
            "API server's own address": f"{NODE_ADDRESS}:6443",
            "kubelet": f"{NODE_ADDRESS}:10250",
            "metadata": f"{METADATA_ADDRESS}:80",
            "canary": f"{RELEASE}-canary.{system}.svc.cluster.local:7",
            "another pod": f"{controller['status']['podIP']}:8081",
        },
        "fetch": {
            "answers": f"{store}/{PRIVATE}/answers/v1/demo-wine/manifest.json",
            "answers' list": f"{store}/{PRIVATE}?list-type=2",
            "runs' list": f"{store}/{RUNS}?list-type=2",
            "datasets": f"{store}/{PUBLIC}/datasets/v1/demo-wine/manifest.json",
            "counts": f"http://{RELEASE}-validation.{system}.svc.cluster.local:8080/counts",
        },
    }


@pytest.fixture(scope="module")
def told(installed: Installation) -> dict[str, Any]:
    """What an agent of a real experiment saw, from its collected logs."""
    name, plane = "explorer", installed.plane
    body = demo.spec(installed.images, EXPLORER, competitions={"ids": ["demo-wine"]}, seeds=1)
    body["agent"]["env"] = [{"name": "ASKED", "value": json.dumps(asked_of(installed))}]
    plane.apply(demo.experiment(installed.agents, name, body))
    namespace = f"--namespace={installed.agents}"
    plane.kubectl("wait", f"exp/{name}", namespace, "--for=condition=Complete", "--timeout=300s")
    uid = plane.get("exp", name, namespace)["metadata"]["uid"]
    key = f"experiments/{installed.agents}/{name}-{uid[:8]}/runs/demo-wine/seed-0/attempt-1/logs.tar"
    logs = installed.store.client(installed.store.controller).get_object(RUNS, key).read()
    with tarfile.open(fileobj=io.BytesIO(logs)) as tar:
        found = tar.extractfile(next(one for one in tar.getmembers() if one.name.endswith("told.json")))
        assert found is not None
        return dict(json.load(found))


@pytest.fixture(scope="module")
def unprotected(installed: Installation) -> dict[str, Any]:
    """The same questions from an ordinary pod, without a policy."""
    with installed.plane.namespace(restricted=True, prefix="open") as namespace:
        env = [{"name": "ASKED", "value": json.dumps(asked_of(installed))}]
        pod = restricted_pod(namespace, "explorer", installed.images.baseline, "python3", "-c", EXPLORER, env=env)
        ended = run(installed.plane, pod)
        return dict(json.loads(ended.log.splitlines()[-1]))


def test_an_agent_reaches_none_of_what_an_unprotected_pod_reaches(
    told: dict[str, Any], unprotected: dict[str, Any]
) -> None:
    assert unprotected["connects"] == dict.fromkeys(unprotected["connects"], True), (
        "else the agent's silence proves nothing"
    )
    assert told["connects"] == dict.fromkeys(unprotected["connects"], False)


def test_the_store_gives_nothing_to_one_without_a_key(told: dict[str, Any]) -> None:
    assert told["answers"] == {
        "answers": 403,
        "answers' list": 403,
        "runs' list": 403,
        "datasets": 403,
        "counts": 401,
    }


def test_nothing_in_the_agents_container_is_a_key(installed: Installation, told: dict[str, Any]) -> None:
    assert told["folders"]["/private"] == told["folders"]["/task"] == "FileNotFoundError"
    assert told["folders"]["/var/run/secrets"] == "FileNotFoundError"
    assert not any("courier" in line for line in told["processes"])
    text = json.dumps(told["environment"])
    for word in ("AWS_", "MLECTL_ORDER", "mlv1.", "X-Amz", installed.store.grader.secret_key):
        assert word not in text, word


def test_it_is_an_ordinary_user_with_read_only_data(told: dict[str, Any]) -> None:
    uid, status = told["identity"]
    assert uid == 1000
    for line in ("CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"):
        assert line in status
    assert told["data"] == "OSError"


@pytest.mark.timeout(600)
def test_without_enforcement_a_run_is_refused(installed: Installation, kubectl: Callable[..., str]) -> None:
    body = demo.spec(installed.images, "raise SystemExit('an agent that must not start')", seeds=1)
    body["competitions"] = {"ids": ["demo-wine"]}
    body["retries"] = {"infrastructure": 0}
    policies.off(installed.agents)
    try:
        installed.plane.apply(demo.experiment(installed.agents, "refused", body))
        kubectl("wait", "exp/refused", f"--namespace={installed.agents}", "--for=condition=Complete", "--timeout=480s")
    finally:
        policies.on(installed.agents)
    (row,) = installed.plane.get("exp", "refused", f"--namespace={installed.agents}")["status"]["results"]
    assert (row["state"], row["reason"]) == ("Failed", "NetworkNotIsolated")
