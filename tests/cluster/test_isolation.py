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
words = [word[::-1] for word in asked["backwards"]]

def files():
    for top in ("/mlectl", "/home", "/task", "/tmp", "/dev/shm"):
        for folder, _, names in os.walk(top):
            yield from (os.path.join(folder, name) for name in names)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        yield from (f"/proc/{pid}/{name}" for name in ("environ", "cmdline"))

def text_of(path):
    try:
        with open(path, "rb") as file:
            return file.read(1 << 20)
    except OSError:
        return None

def words_in(text):
    return None if text is None else [word for word in words if word.encode() in text]

told = {
    "connects": {name: connects(address) for name, address in asked["connect"].items()},
    "answers": {name: answer(url) for name, url in asked["fetch"].items()},
    "folders": {path: readable(path) for path in ("/private", "/task", "/var/run/secrets", "/home", "/mlectl")},
    "files": {path: words_in(text_of(path)) for path in files() if os.path.isfile(path)},
    "processes": sorted(
        (text_of(f"/proc/{pid}/cmdline") or b"").replace(bytes(1), b" ").decode()[:200]
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


ANSWERS = "answers/v1/demo-wine/manifest.json"
KEYS = ("mlv1.", "X-Amz-", "AWS_ACCESS", "AWS_SECRET", "MLECTL_ORDER", "PRIVATE KEY", "eyJhbGciOi")
"""By what a run token, a URL, the store's keys, a worker's order and a service account's token can be told."""


def asked_of(installed: Installation, **more: str) -> dict[str, Any]:
    """Addresses to try, documents to ask the store and the validation service for without a key, and words to look for.

    The words are written backwards, so that they are not found in the question.
    """
    system, store = installed.system, installed.store.endpoint
    identities = (installed.store.controller, installed.store.grader, installed.store.owner)
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
            "answers": f"{store}/{PRIVATE}/{ANSWERS}",
            "answers' list": f"{store}/{PRIVATE}?list-type=2",
            "runs' list": f"{store}/{RUNS}?list-type=2",
            "datasets": f"{store}/{PUBLIC}/datasets/v1/demo-wine/manifest.json",
            "counts": f"http://{RELEASE}-validation.{system}.svc.cluster.local:8080/counts",
            **more,
        },
        "backwards": [word[::-1] for word in (*KEYS, *(one.secret_key for one in identities))],
    }


def explored(installed: Installation, name: str, network: dict[str, Any]) -> dict[str, Any]:
    """What an agent of a real experiment saw, from its collected logs."""
    plane = installed.plane
    body = demo.spec(installed.images, EXPLORER, competitions={"ids": ["demo-wine"]}, seeds=1, network=network)
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
def told(installed: Installation) -> dict[str, Any]:
    """From an agent without a network."""
    return explored(installed, "explorer", {"mode": "none"})


@pytest.fixture(scope="module")
def unprotected(installed: Installation, told: dict[str, Any]) -> dict[str, Any]:
    """The same questions from an ordinary pod, without a policy and with a URL for the answers, which are there now."""
    url = installed.store.client(installed.store.grader).presigned_get_object(PRIVATE, ANSWERS)
    with installed.plane.namespace(restricted=True, prefix="open") as namespace:
        env = [{"name": "ASKED", "value": json.dumps(asked_of(installed, signed=url))}]
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


def test_a_restricted_agent_reaches_what_its_spec_lists_and_nothing_else(
    installed: Installation, unprotected: dict[str, Any]
) -> None:
    """One port of an address. At another port of the same address is the API server."""
    listed = {"cidr": f"{NODE_ADDRESS}/32", "ports": [10250]}
    seen = explored(installed, "listed", {"mode": "restricted", "allow": [listed]})
    assert seen["connects"] == {name: name == "kubelet" for name in unprotected["connects"]}


def test_the_store_gives_nothing_to_one_without_a_key(
    installed: Installation, told: dict[str, Any], unprotected: dict[str, Any]
) -> None:
    assert told["answers"] == {
        "answers": 403,
        "answers' list": 403,
        "runs' list": 403,
        "datasets": 403,
        "counts": 401,
    }
    assert unprotected["answers"]["signed"] == 200, "else there are no answers to be kept"
    assert installed.store.client(installed.store.grader).get_object(PRIVATE, ANSWERS).read()


def test_nothing_in_the_agents_container_is_a_key(told: dict[str, Any], unprotected: dict[str, Any]) -> None:
    assert told["folders"]["/private"] == told["folders"]["/task"] == "FileNotFoundError"
    assert told["folders"]["/var/run/secrets"] == "FileNotFoundError"
    assert told["folders"]["/mlectl"] == ["alive", "go", "launch.sh", "ready", "started"]
    assert not any("courier" in line for line in told["processes"])
    assert {"/mlectl/go", "/home/instructions.txt", "/home/data/train.csv", "/proc/1/environ"} <= told["files"].keys()
    assert told["files"]["/proc/1/environ"] == [], "it was read"
    assert {path: found for path, found in told["files"].items() if found} == {}
    assert "X-Amz-" in unprotected["files"]["/proc/1/environ"], "else nothing would be found where it is"


def test_it_is_an_ordinary_user_with_read_only_data(told: dict[str, Any]) -> None:
    uid, status = told["identity"]
    assert uid == 1000
    for line in ("CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"):
        assert line in status
    assert told["data"] == "OSError"


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
