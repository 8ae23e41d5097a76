"""The Jobs and NetworkPolicies as a real API server takes them, and a real scheduler places them.

The made-up nodes have exactly the published hardware: 36 CPUs, 440Gi and one GPU.
"""

import json

import pytest

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.errors import Forbidden, Invalid
from orchestrator.cluster.kubernetes.jobs import agent_job, grade_job, prepare_job
from orchestrator.cluster.kubernetes.kinds import JOBS, NETWORK_POLICIES, PODS
from orchestrator.cluster.kubernetes.network import network_policy
from orchestrator.core.model import TaskPhase
from tests.cluster.witness import Witness
from tests.kubernetes.build import TOKEN, agent_start, experiment, grade_start, prepare_start, settings

FAKE = {"nodeSelector": {"rig/node": "fake"}}
PEERS = {
    "store": [{"podSelector": {"matchLabels": {"app": "store"}}}],
    "validation": [{"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "validation"}}}],
    "gateway": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}],
}
SMALL = {"resources": {"cpu": "1", "memory": "1Gi"}, "storage": "20Gi", **FAKE}
GIVEN = settings(network=PEERS, prepare=SMALL, grade=SMALL)


@pytest.fixture
def witness(control_plane, fake_nodes, restricted_namespace):
    """In a namespace that enforces the restricted profile."""
    fake_nodes(2)
    api = Api.connect(control_plane.kubeconfig)
    with Witness(api, restricted_namespace) as watching:
        yield watching
    api.close()


def here(body):
    """The object for the test's namespace; its owner is not there, and the garbage collector would remove it."""
    metadata = {key: value for key, value in body["metadata"].items() if key not in ("namespace", "ownerReferences")}
    return {**body, "metadata": metadata}


def agent(**fields):
    return here(agent_job(experiment(**{"placement": FAKE, **fields}), agent_start(), GIVEN, TOKEN))


EVERY_JOB = {
    "restricted": agent(),
    "open": agent(network={"mode": "open"}),
    "none": agent(network={"mode": "none"}),
    "small": agent(resources={"cpu": "100m", "memory": "64Mi", "gpu": {"count": 0}, "storage": "64Mi"}),
    "everything": agent(
        placement={
            **FAKE,
            "tolerations": [{"key": "gpu", "operator": "Exists", "tolerationSeconds": 5, "effect": "NoExecute"}],
        },
        agent={
            "name": "a",
            "image": "a:1",
            "command": ["sh", "-c", "echo $(date) $$"],
            "args": ["x"],
            "env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "token", "optional": True}}}],
            "envFrom": [{"prefix": "MORE_", "configMapRef": {"name": "more", "optional": True}}],
        },
    ),
    "prepare": here(prepare_job(prepare_start(), GIVEN, 0.5)),
    "grade": here(grade_job(experiment(), grade_start(), GIVEN)),
}


@pytest.mark.parametrize("name", EVERY_JOB)
def test_a_job_is_taken_placed_and_of_the_class_guaranteed(witness, name):
    created = witness.create(EVERY_JOB[name])
    task = witness.wait_for(created, lambda task: task.node)
    assert task.node.startswith("fake-")
    (seen,) = witness.pods_of(created)
    pod = witness.api.get(PODS, witness.namespace, seen["metadata"]["name"])
    assert pod["status"]["qosClass"] == "Guaranteed"
    assert pod["spec"].get("automountServiceAccountToken") is False
    assert not any(volume.get("projected") for volume in pod["spec"]["volumes"]), "there is no token in it"


@pytest.mark.parametrize("name", EVERY_JOB)
def test_nothing_of_a_job_is_unknown_to_the_api_server(control_plane, restricted_namespace, name):
    """Strict: a misspelt field is refused instead of dropped. Warnings of the profile would be printed, too."""
    argv = ("create", "--dry-run=server", "--validate=strict", "--namespace", restricted_namespace, "-f", "-")
    assert "created (server dry run)" in control_plane.kubectl(*argv, input=json.dumps(EVERY_JOB[name]))


def test_one_agent_fills_a_node(witness):
    """The pod as a whole asks for what the spec says: it fits a node of that size, and there is no room for another."""
    first, second = agent(), agent()
    first["spec"]["template"]["metadata"]["annotations"]["rig/run-for"] = "20s"
    name = witness.create(first)
    node = witness.wait_for(name, lambda task: task.node).node
    second["metadata"]["name"] = "second"
    second["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}
    second["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"].pop("nvidia.com/gpu")
    second["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"].pop("nvidia.com/gpu")
    witness.create(second)
    task = witness.wait_for("second", lambda task: task.message)
    assert (task.phase, task.node) == (TaskPhase.QUEUED, None)
    assert "Insufficient cpu" in task.message
    assert "Insufficient memory" in task.message
    witness.wait_until_final(name)  # a made-up pod that is deleted at work would stay


@pytest.mark.parametrize("mode", ["open", "restricted", "none"])
def test_a_policy_is_taken_as_it_is(witness, mode):
    allow = [{"cidr": "10.20.0.0/16", "ports": [443]}, {"cidr": "2001:db8::/32"}] if mode == "restricted" else []
    wanted = here(network_policy(experiment(network={"mode": mode, "allow": allow}), GIVEN))
    made = witness.api.create(NETWORK_POLICIES, witness.namespace, wanted)
    assert made["spec"].get("egress") == wanted["spec"].get("egress")
    assert made["spec"]["policyTypes"] == wanted["spec"]["policyTypes"]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param({"privileged": True, "allowPrivilegeEscalation": True}, id="privileged"),
        pytest.param({"runAsUser": 0}, id="root"),
        pytest.param({"capabilities": {"add": ["NET_ADMIN"]}}, id="capabilities"),
    ],
)
def test_the_namespace_would_refuse_a_looser_pod(witness, spoil):
    """The profile is enforced on pods: a Job with a bad one is taken, and never gets its pod."""
    pod = EVERY_JOB["open"]["spec"]["template"]["spec"]
    container = {**pod["containers"][0], "securityContext": {**pod["containers"][0]["securityContext"], **spoil}}
    loose = {"metadata": {"name": "loose"}, "spec": {**pod, "containers": [container]}}
    with pytest.raises(Forbidden, match="PodSecurity"):
        witness.api.create(PODS, witness.namespace, {"apiVersion": "v1", "kind": "Pod", **loose})


@pytest.mark.parametrize(
    "spoil, word",
    [
        pytest.param({"backoffLimit": -1}, "backoffLimit", id="a negative limit"),
        pytest.param({"podFailurePolicy": {"rules": [{"action": "Never"}]}}, "action", id="an unknown action"),
    ],
)
def test_the_api_server_refuses_what_is_no_job(witness, spoil, word):
    bad = agent()
    with pytest.raises(Invalid, match=word):
        witness.api.create(JOBS, witness.namespace, {**bad, "spec": {**bad["spec"], **spoil}})


def test_a_queued_job_gets_no_pod_until_it_is_let_go_to_the_nodes_that_the_queue_chose(witness):
    """The part of Kueue is played here: it adds node selectors while the Job is suspended."""
    name = witness.create(agent(placement={"queue": "gpus"}))
    witness.wait_for(name, lambda task: task.phase is TaskPhase.QUEUED)
    assert not witness.pods_of(name)
    let_go = {
        "spec": {"suspend": False, "template": {"spec": {"nodeSelector": {"kubernetes.io/hostname": "fake-001"}}}}
    }
    witness.api.patch(JOBS, witness.namespace, name, let_go)
    assert witness.wait_for(name, lambda task: task.node).node == "fake-001"
