"""The agent's pod on the true node: staged, proved, run, collected; and what is left of it when the platform takes it.

Everything is real: the workers' image, the store, the validation service, the canary, the NetworkPolicy. Only the
controller is not there: its Jobs are made here, one for each test, without an ExperimentRun behind them.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml
from minio.error import S3Error

from orchestrator.cluster.facts import keys_of, ticket_of
from orchestrator.cluster.kubernetes.jobs import agent_job
from orchestrator.cluster.kubernetes.kinds import Object
from orchestrator.cluster.kubernetes.network import network_policy
from orchestrator.cluster.kubernetes.orders import NOTICE_PORT
from orchestrator.cluster.kubernetes.settings import AgentSettings, CacheSettings, Settings
from orchestrator.cluster.kubernetes.tasks import task_of
from orchestrator.controller.memory import ClockSeen, Memory
from orchestrator.core.model import AttemptKey, Experiment, Role, Seen, Start, Task
from orchestrator.core.situation import Situation
from orchestrator.worker.orders import CanaryOrder, PrepareOrder, Stores, ValidationOrder
from orchestrator.worker.run import run
from orchestrator.worker.tokens import mint
from tests.cluster import town
from tests.cluster.crd import MANIFESTS
from tests.cluster.images.made import Images
from tests.cluster.rig import policies
from tests.cluster.rig.handle import ControlPlane
from tests.cluster.rig.layout import NODE
from tests.cluster.rig.store import BUCKETS, PORT, RUNS, ClusterStore
from tests.kubernetes import build

T = TypeVar("T")

SECRET = "the key of this test's run tokens"
COMPETITION = "demo-wine"
VALIDATION, CANARY = "validation", "canary"
HERE = {"rig/node": "real"}
SECURITY = {
    "pod": {
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "runAsGroup": 1000,
        "fsGroup": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    "container": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
}

AGENT = """
import json, os, pathlib, shutil, sys, time, urllib.request
home = pathlib.Path("/home")
sample = (home / "data" / "sample_submission.csv").read_bytes()
(home / "submission" / "submission.csv").write_bytes(sample)
(home / "code" / "main.py").write_text("work")
form = b'--b\\r\\nContent-Disposition: form-data; name="file"\\r\\n\\r\\n' + sample + b"\\r\\n--b--\\r\\n"
head = {"Content-Type": "multipart/form-data; boundary=b"}
with urllib.request.urlopen(urllib.request.Request(os.environ["VALIDATION_URL"] + "/validate", form, head)) as answer:
    print(answer.read().decode())
print(*sorted(os.environ), sep="\\n")
print("task:", (home / "instructions.txt").read_text()[:40])
print("private:", os.path.exists("/private"), "key:", "MLECTL_ORDER" in os.environ)
(home / "code" / "running").touch()
"""
BULKY = """
import shutil
shutil.copy("/home/data/sample_submission.csv", "/home/submission/submission.csv")
with open("/home/code/bulk", "wb") as file:
    file.truncate(300 << 20)
"""
"""Leaves much in no time: a file of nothing but a hole, of which a copy is as long as of any other."""
FOREVER = f"{AGENT}\nprint('waiting', flush=True)\ntime.sleep(3600)\n"


def wait_for(what: str, condition: Callable[[], T | None], seconds: float = 120.0) -> T:
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if found := condition():
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds:g} s in vain for {what}")


@dataclass(frozen=True)
class Site:
    """A system namespace with validation service and canary, a namespace for agents, and a prepared competition."""

    plane: ControlPlane
    store: ClusterStore
    images: Images
    system: str
    agents: str
    secret_file: Path

    @property
    def stores(self) -> Stores:
        return Stores(**{name: self.store.url(name) for name in BUCKETS})

    @property
    def settings(self) -> Settings:
        validation = {
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.system}},
            "podSelector": {"matchLabels": {"app": VALIDATION}},
        }
        return Settings.model_validate(
            {
                "namespace": self.system,
                "image": self.images.orchestrator,
                "imagePullPolicy": "Never",
                "stores": self.stores.model_dump(),
                "courier": {"cpu": "50m", "memory": "128Mi"},
                "validation": {"url": f"http://{VALIDATION}.{self.system}.svc:8080", "secretFile": self.secret_file},
                "network": {
                    "store": [self.store.peer],
                    "storePorts": [PORT],
                    "validation": [validation],
                    "canary": self.canary,
                    "blocked": ["169.254.169.254:80"],
                    "holdSeconds": 3,
                },
                "collection": 300,
            }
        )

    @property
    def canary(self) -> str:
        return f"{CANARY}.{self.system}.svc:8080"

    def pod(self, name: str, order: str, role: str, **env: str) -> list[Object]:
        """A service of ours: a pod and its address."""
        given = {"MLECTL_ORDER": order, "HOME": "/scratch", "TMPDIR": "/scratch", **env}
        container = {
            "name": name,
            "image": self.images.orchestrator,
            "imagePullPolicy": "Never",
            "command": ["mlectl", "worker", role, "--order", "env:MLECTL_ORDER"],
            "env": [{"name": key, "value": value} for key, value in given.items()],
            "readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 1},
            "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
            "securityContext": {**SECURITY["container"], "readOnlyRootFilesystem": True},
        }
        spec = {
            "nodeSelector": HERE,
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 1,
            "securityContext": SECURITY["pod"],
            "containers": [container],
            "volumes": [{"name": "scratch", "emptyDir": {}}],
        }
        metadata = {"name": name, "namespace": self.system, "labels": {"app": name}}
        ports = [{"name": each.lower(), "port": 8080, "protocol": each} for each in ("TCP", "UDP")]
        return [
            {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec},
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": metadata,
                "spec": {"selector": {"app": name}, "ports": ports},
            },
        ]

    def experiment(self, agent: str, mode: str) -> Experiment:
        spec = {
            "competitions": {"ids": [COMPETITION]},
            "agent": {"name": "test", "image": self.images.dummy, "command": ["python3", "-c", agent]},
            "budget": {"wallClock": "1h"},
            "resources": {"cpu": "200m", "memory": "512Mi", "gpu": {"count": 0}, "storage": "1Gi"},
            "placement": {"nodeSelector": HERE},
            "network": {"mode": mode},
        }
        uid = f"{time.time_ns():x}".rjust(32, "0")[-8:] + "-0000-0000-0000-000000000000"
        return replace(build.experiment(**spec), namespace=self.agents, name="pods", uid=uid)


@pytest.fixture(scope="module")
def site(
    control_plane: ControlPlane, store: ClusterStore, images: Images, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    secret_file = tmp_path_factory.mktemp("site") / "secret"
    secret_file.write_text(SECRET)
    with (
        control_plane.namespace(restricted=True, prefix="e-system") as system,
        control_plane.namespace(restricted=True, prefix="e-agents") as agents,
    ):
        here = Site(control_plane, store, images, system, agents, secret_file)
        prepare(here, tmp_path_factory.mktemp("prepare"))
        order = ValidationOrder(
            stores=here.stores,
            listen="0.0.0.0:8080",
            secret=SECRET,
            scratch=Path("/scratch/work"),
            at_once=1,
            canary=here.canary,
        )
        control_plane.apply(
            *here.pod(VALIDATION, order.model_dump_json(), "validation", **store.grader.environment),
            *here.pod(CANARY, CanaryOrder(listen="0.0.0.0:8080").model_dump_json(), "canary"),
        )
        control_plane.kubectl(
            "wait", "pod", "--all", f"--namespace={system}", "--for=condition=Ready", "--timeout=120s"
        )
        yield here


def prepare(here: Site, folder: Path) -> None:
    order = PrepareOrder(
        competition=COMPETITION, version="v1", stores=here.stores, raw=folder / "raw", scratch=folder / "scratch"
    )
    (folder / "order.json").write_text(order.model_dump_json())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in here.store.controller.environment.items():
            patch.setenv(name, value)
        assert run("prepare", folder / "order.json") == 0


@dataclass(frozen=True)
class Attempt:
    """One Job and what it leaves."""

    site: Site
    experiment: Experiment
    start: Start

    @property
    def name(self) -> str:
        return self.start.name

    def get(self, kind: str) -> Object:
        return self.site.plane.get(kind, self.name, f"--namespace={self.site.agents}")

    def pods(self) -> list[Object]:
        selector = f"--selector=batch.kubernetes.io/job-name={self.name}"
        found = self.site.plane.get("pods", selector, f"--namespace={self.site.agents}")["items"]
        return sorted(found, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    def condition(self, kind: str) -> Object | None:
        """The Job's condition, if it is true."""
        found = self.get("job").get("status", {}).get("conditions", [])
        return next((one for one in found if (one["type"], one["status"]) == (kind, "True")), None)

    def read(self, name: str) -> bytes | None:
        keys = keys_of(self.experiment).attempt(COMPETITION, 0, 1)
        try:
            answer = self.site.store.client(self.site.store.owner).get_object(RUNS, f"{keys.prefix}/{name}")
        except S3Error:
            return None
        with answer:
            data: bytes = answer.read()
            return data

    def log(self, container: str) -> str:
        return self.site.plane.kubectl(
            "logs", self.pods()[-1]["metadata"]["name"], f"--namespace={self.site.agents}", f"--container={container}"
        )

    def wait_until_running(self) -> None:
        wait_for("the agent at work", lambda: "waiting" in self.log_if_any())

    def log_if_any(self) -> str:
        try:
            return self.log("agent")
        except Exception:  # noqa: BLE001 (the container is not there yet)
            return ""

    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(wait_for("run.json", lambda: self.read("run.json")))
        return found

    def failure_of(self, container: str) -> dict[str, Any] | None:
        """What a worker said when it gave up, as its container's termination message."""
        for status in self.pods()[-1]["status"].get("initContainerStatuses", []) if self.pods() else []:
            ended = status["state"].get("terminated")
            if status["name"] == container and ended and ended["exitCode"]:
                found: dict[str, Any] = json.loads(ended["message"])
                return found
        return None


@pytest.fixture
def start(site: Site) -> Iterator[Callable[..., Attempt]]:
    """Starts attempts: a Job, and the policy of its experiment unless the test does without."""
    started: list[Attempt] = []

    def begin(agent: str, *, enforced: bool = True, cache: str = "", budget_seconds: float = 3600.0) -> Attempt:
        experiment = site.experiment(agent, "restricted")
        usual = site.settings
        given = usual.model_copy(update={"agents": AgentSettings(cache=CacheSettings(claim=cache, size="1Gi"))})
        task = Start(f"agent-{experiment.uid[:8]}", Role.AGENT, COMPETITION, 0, 1, budget_seconds=budget_seconds)
        token = mint(ticket_of(experiment, task), SECRET, expires=datetime.now(UTC) + timedelta(days=1))
        job = agent_job(experiment, task, given, token)
        policy = network_policy(experiment, site.settings)
        if not enforced:
            hurry(job)
        for each in (job, policy):
            del each["metadata"]["ownerReferences"]  # there is no ExperimentRun: the garbage collector would act
        site.plane.apply(*([policy] if enforced else []), job)
        started.append(Attempt(site, experiment, task))
        return started[-1]

    yield begin
    for attempt in started:
        site.plane.kubectl("delete", "job", attempt.name, f"--namespace={site.agents}", "--wait=false")


def hurry(job: Object) -> None:
    """Have the probe wait for ten seconds, and not for two minutes, for a policy that will not come."""
    containers = job["spec"]["template"]["spec"]["initContainers"]
    order = next(one for one in containers if one["name"] == "probe")["env"][0]
    order["value"] = json.dumps({**json.loads(order["value"]), "patience_seconds": 10.0})


@contextmanager
def told(attempt: Attempt) -> Iterator[None]:
    """Beside a failed assertion, what the containers said."""
    try:
        yield
    except AssertionError:
        for container in ("stage", "probe", "courier", "agent"):
            try:
                print(f"--- {container}\n{attempt.log(container)}")
            except Exception as error:  # noqa: BLE001
                print(f"--- {container}: {error}")
        raise


def files_in(tar: bytes | None) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(tar or b"")) as opened:
        return opened.getnames()


def test_a_pod_from_staging_to_collection(start: Callable[..., Attempt]) -> None:
    attempt = start(AGENT)
    with told(attempt):
        wait_for("the Job's end", lambda: attempt.condition("Complete"), 180)
        record = attempt.record()
        assert (record["exit_code"], record["interrupted"], record["has_submission"]) == (0, False, True)
        assert (record["isolation"], record["network"], record["network_enforced"]) == ("pod", "restricted", True)
        tried = {(one["address"], one["protocol"]) for one in record["network_proof"]["tried"]}
        canary = attempt.site.canary
        assert tried == {(canary, "tcp"), (canary, "udp"), ("169.254.169.254:80", "tcp")}
        assert record["node"] == NODE
        assert record["pod"] == attempt.pods()[0]["metadata"]["name"]
        assert len(record["dataset_digest"]) == 64
        assert record["validations"] == {"asked": 1, "valid": 1, "invalid": 0, "refused": 0}
        assert "main.py" in files_in(attempt.read("code.tar"))
        log = (attempt.read("logs/agent.log") or b"").decode()
        assert "private: False key: False" in log
        assert "mlv1" not in json.dumps(record)
        assert len(attempt.read("submission.csv") or b"") > 0


def test_an_evicted_pod_leaves_all_it_had_and_its_clock(start: Callable[..., Attempt]) -> None:
    attempt = start(FOREVER)
    with told(attempt):
        attempt.wait_until_running()
        pod = attempt.pods()[0]["metadata"]["name"]
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
        path = f"/api/v1/namespaces/{attempt.site.agents}/pods/{pod}/eviction"
        attempt.site.plane.kubectl("create", "--raw", path, "-f", "-", input=json.dumps(eviction))
        record = attempt.record()
        assert (record["interrupted"], record["platform_notice"], record["has_submission"]) == (True, True, True)
        assert "main.py" in files_in(attempt.read("code.tar"))
        clock = json.loads(attempt.read("clock.json") or b"{}")
        assert 0 < clock["consumed_seconds"] == record["clock"]["consumed_seconds"]
        assert wait_for("the Job's end", lambda: attempt.condition("Failed"))["reason"] == "PodFailurePolicy"


def test_what_is_collected_while_a_taint_takes_the_pod_is_not_lost(start: Callable[..., Attempt]) -> None:
    """Done to this pod alone as the taint manager does it: on the only node it would clear the store away as well. The
    courier has little CPU and writes its clock every two seconds; half the time that it takes to collect, which is the
    patience of this test, is longer than that on a quick machine too."""
    attempt = start(BULKY, budget_seconds=40.0)
    memory, key = Memory(), AttemptKey(COMPETITION, 0, 1)
    looks: list[tuple[Task, dict[AttemptKey, datetime], datetime]] = []
    with told(attempt):
        wait_for("the collection", lambda: b"stopped_at" in (attempt.read("clock.json") or b""))
        assert attempt.read("run.json") is None
        clear(attempt)
        while attempt.read("run.json") is None:
            now = datetime.now(UTC)
            memory.saw_clock(key, ClockSeen.read(attempt.read("clock.json") or b""), now)
            looks.append((task_of(attempt.get("job"), attempt.pods(), now), dict(memory.heard), now))
        record = attempt.record()
        assert (record["interrupted"], record["has_submission"], record["exit_code"]) == (False, True, 0)
        assert record["clock"]["consumed_seconds"] < 40
        (since,) = {task.unreachable_since for task, _, _ in looks if task.unreachable_since}
        patience = (looks[-1][2] - since) / 2

        def is_lost(task: Task, heard: dict[AttemptKey, datetime], now: datetime) -> bool:
            return Situation(attempt.experiment, Seen(heard=heard), now, patience).is_lost(task)

        assert any(is_lost(task, {}, now) for task, _, now in looks), "without a sign of life it would be"
        assert not any(is_lost(*look) for look in looks)


def clear(attempt: Attempt) -> None:
    """Take its pod away as a NoExecute taint does."""
    pod, namespace = attempt.pods()[0]["metadata"]["name"], f"--namespace={attempt.site.agents}"
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "DeletionByTaintManager",
        "message": "Taint manager: deleting due to NoExecute taint",
        "lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    change = json.dumps({"status": {"conditions": [target]}})
    attempt.site.plane.kubectl("patch", "pod", pod, namespace, "--subresource=status", "--patch", change)
    attempt.site.plane.kubectl("delete", "pod", pod, namespace, "--wait=false")


def test_nobody_connects_to_an_agents_pod(site: Site, start: Callable[..., Attempt], namespace: str) -> None:
    """The courier listens there for the kubelet, which no policy keeps out."""
    attempt = start(FOREVER)
    site.plane.apply(town.pod("outsider", namespace, {}))
    outsider = town.moved_in(site.plane, namespace, "outsider")
    with told(attempt):
        attempt.wait_until_running()
        door = town.Target("tcp", attempt.pods()[0]["status"]["podIP"], NOTICE_PORT)
        assert not town.reaches(outsider, door)
        policies.off(site.agents)
        try:
            wait_for("a way in without a policy", lambda: town.reaches(outsider, door))
        finally:
            policies.on(site.agents)


def test_a_suspended_job_leaves_all_it_had_and_gets_no_second_pod(start: Callable[..., Attempt]) -> None:
    attempt = start(FOREVER)
    suspend = '{{"spec":{{"suspend":{}}}}}'.format
    patch = ("patch", "job", attempt.name, f"--namespace={attempt.site.agents}", "--patch")
    with told(attempt):
        attempt.wait_until_running()
        attempt.site.plane.kubectl(*patch, suspend("true"))
        record = attempt.record()
        assert (record["interrupted"], record["platform_notice"], record["has_submission"]) == (True, True, True)
        assert record["clock"]["consumed_seconds"] > 0
        wait_for("the pod to be gone", lambda: not attempt.pods())
        attempt.site.plane.kubectl(*patch, suspend("false"))
        said = wait_for("the second pod to be refused", lambda: attempt.failure_of("stage"))
        assert (said["reason"], said["try_again"]) == ("Staging", False)
        assert "begun in another pod" in said["message"]


def test_a_pod_that_nothing_holds_back_is_refused(start: Callable[..., Attempt]) -> None:
    attempt = start(AGENT, enforced=False)
    with told(attempt):
        said = wait_for("the probe's refusal", lambda: attempt.failure_of("probe"), 240)
        assert said["reason"] == "NetworkNotIsolated"
        assert attempt.site.canary in said["message"]
        assert attempt.read("clock.json") is None


@pytest.fixture
def claim(site: Site, tmp_path: Path) -> Iterator[str]:
    """The volume and the claim of manifests/cache, on a folder of this test."""
    folder = tmp_path / "cache"
    folder.mkdir()
    os.chown(folder, 1000, 1000)
    name = f"cache-{site.agents}"
    volume, wanted = yaml.safe_load_all((MANIFESTS / "cache" / "datasets.yaml").read_text())
    for one in (volume, wanted):
        one["metadata"]["name"] = name
    wanted["metadata"]["namespace"] = site.agents
    wanted["spec"]["volumeName"] = name
    volume["spec"]["claimRef"] = wanted["metadata"]
    volume["spec"]["hostPath"]["path"] = str(folder)
    site.plane.apply(volume, wanted)
    yield name
    site.plane.kubectl("delete", "pvc", name, f"--namespace={site.agents}", "--wait=false")
    site.plane.kubectl("delete", "pv", name, "--wait=false")


CURIOUS = """
import os, pathlib
print("cache:", os.path.exists("/cache"), [line for line in open("/proc/self/mounts") if "cache" in line])
data = pathlib.Path(os.environ["DATA_DIR"])
print("data:", sorted(path.name for path in data.iterdir()))
for target in (data / "new.csv", data / "train.csv"):
    try:
        target.write_text("forged")
        print("wrote", target)
    except OSError as error:
        print("refused", error.strerror)
"""


def test_two_runs_fetch_a_dataset_once_and_no_agent_sees_the_cache(start: Callable[..., Attempt], claim: str) -> None:
    for shards in ("0 of 1 shards were in the cache", "1 of 1 shards were in the cache"):
        attempt = start(CURIOUS, cache=claim)
        with told(attempt):
            wait_for("the Job's end", lambda attempt=attempt: attempt.condition("Complete"), 180)
            assert shards in attempt.log("stage")
            said = attempt.log("agent")
            assert "cache: False []" in said
            assert "'train.csv'" in said
            assert said.count("refused Read-only file system") == 2, said
