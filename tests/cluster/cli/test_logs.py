"""What an agent writes, from its pod on the true node while it is there, and from the store afterwards."""

import time

import pytest

from orchestrator.cli.place import keys_of
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import Unavailable
from orchestrator.cluster.kubernetes.kinds import JOBS, PODS
from orchestrator.core.model import AttemptKey
from orchestrator.core.names import agent_task
from orchestrator.storage.open import open_store
from tests.cluster.cli.played import RUNNING, row, start

KEY = AttemptKey("demo-wine", 0, 1)
ARGUMENTS = ["aide-lite", "demo-wine", "0"]
STATUS = {**RUNNING, "results": [row("demo-wine", 0, "Running"), row("demo-wine", 1, "Pending", attempt=0)]}


@pytest.fixture
def agent(node, played):
    """`agent(script)` starts a Job as the controller names it; its init containers are a stage and a courier."""
    run = played.create(status={**STATUS, "runs": {"total": 2, "running": 2}})

    def begin(script, stage="echo staged"):
        container = {"image": "docker.io/rig/base:1", "imagePullPolicy": "IfNotPresent"}
        pod = {
            "restartPolicy": "Never",
            "nodeSelector": {"rig/node": "real"},
            "terminationGracePeriodSeconds": 1,
            "initContainers": [{"name": "stage", **container, "command": ["sh", "-c", stage]}],
            "containers": [{"name": "agent", **container, "command": ["sh", "-c", script]}],
        }
        name = agent_task(run.metadata.uid, KEY)
        body = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name},
            "spec": {"backoffLimit": 0, "template": {"spec": pod}},
        }
        played.api.create(JOBS, played.namespace, body)
        return name

    return begin


def wait_until(happens, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def agent_state(played):
    pods = played.api.list(PODS, played.namespace).items
    statuses = pods[0]["status"].get("containerStatuses", []) if pods else []
    return next(iter(statuses[0]["state"]), "") if statuses else ""


def test_a_log_comes_from_the_pod_and_afterwards_from_the_store(agent, played, in_namespace, tmp_path, monkeypatch):
    name = agent("printf 'first \\033[31mred\\033[0m\\nlast\\n'")
    wait_until(lambda: agent_state(played) == "terminated")
    answer = in_namespace("logs", *ARGUMENTS)
    assert (answer.code, answer.out) == (0, "first red\nlast\n")
    assert in_namespace("logs", *ARGUMENTS, "--tail", "1").out == "last\n"
    assert in_namespace("logs", *ARGUMENTS, "--follow").out == "first red\nlast\n"
    assert in_namespace("logs", *ARGUMENTS, "--pod").out == "--- stage\nstaged\n"

    played.api.delete(JOBS, played.namespace, name)
    wait_until(lambda: not played.api.list(PODS, played.namespace).items)
    monkeypatch.setenv("MLECTL_STORE_RUNS", (tmp_path / "runs").as_uri())
    answer = in_namespace("logs", *ARGUMENTS)
    assert (answer.code, "the agent has not written a log" in answer.err) == (3, True)
    store = open_store((tmp_path / "runs").as_uri())
    store.write(keys_of(played.run()).attempt(*KEY).agent_log, b"collected\n")
    assert in_namespace("logs", *ARGUMENTS).out == "collected\n"


def test_a_log_is_followed_as_it_grows_until_the_agent_ends(agent, played, kubectl):
    name = agent("echo one; until [ -e /tmp/go ]; do sleep 0.1; done; echo two")
    following = start("logs", *ARGUMENTS, "-n", played.namespace, "--follow")
    try:
        assert following.stdout.readline() == "one\n"
        kubectl("exec", f"--namespace={played.namespace}", f"job/{name}", "--container=agent", "--", "touch", "/tmp/go")
        assert following.stdout.read() == "two\n"
        assert following.wait(30) == 0
    finally:
        following.kill()
        following.communicate()


@pytest.mark.parametrize("is_rotated", [False, True], ids=["the same file", "a new file"])
def test_a_broken_connection_repeats_nothing_and_loses_nothing(agent, played, in_namespace, monkeypatch, is_rotated):
    agent("echo one; echo again; sleep 2; printf two")
    wait_until(lambda: agent_state(played) == "running")
    logs, opened = Api.logs, []

    def logs_that_break_once(api, *arguments, **options):
        opened.append(options)
        written = b""
        for part in logs(api, *arguments, **options):
            written += part
            if len(opened) == 1 and written.count(b"\n") == 2:
                yield written[:-3]  # in the middle of a line
                raise Unavailable(0, "NoAnswer", "the connection broke")
        yield written.partition(b"\n")[2] if is_rotated else written

    monkeypatch.setattr(Api, "logs", logs_that_break_once)
    answer = in_namespace("logs", *ARGUMENTS, "--follow")
    assert (answer.code, answer.out) == (0, "one\nagain\ntwo")
    assert len(opened) >= 2


def test_an_agent_that_has_not_begun(agent, played, in_namespace):
    agent("echo never", stage="sleep 60")
    wait_until(lambda: played.api.list(PODS, played.namespace).items)
    answer = in_namespace("logs", *ARGUMENTS)
    assert answer.code == 3
    assert "Attempt 1 of demo-wine, seed 0: the agent has not written a log" in answer.err
    answer = in_namespace("logs", "aide-lite", "demo-wine", "1")
    assert (answer.code, "demo-wine, seed 1 has not been started yet" in answer.err) == (3, True)
