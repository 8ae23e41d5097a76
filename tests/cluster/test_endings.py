"""How tasks end, on a true node: whatever the platform does to a pod, the task read from its Job says what it was.

The pods are those of `agent_job`, with shell scripts of a few words in place of the workers. With
MLECTL_RECORD=1 what was seen is written to tests/kubernetes/endings, where tests that need no cluster read it.
"""

import json
import os
import uuid
from datetime import timedelta
from pathlib import Path

import pytest

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.containers import literal
from orchestrator.cluster.kubernetes.endings import NO_SANDBOX_AFTER, STUCK_AFTER
from orchestrator.cluster.kubernetes.jobs import agent_job, prepare_job, stop_patch
from orchestrator.cluster.kubernetes.kinds import JOBS, PODS
from orchestrator.cluster.kubernetes.views import PodView, condition_of
from orchestrator.core.model import Ending, TaskPhase
from tests.cluster.witness import Witness
from tests.kubernetes.build import TOKEN, agent_start, experiment, prepare_start, settings

IMAGE = "docker.io/rig/base:1"
SMALL = {"cpu": "100m", "memory": "64Mi", "gpu": {"count": 0}, "storage": "64Mi"}
RECORDED = Path(__file__).parent.parent / "kubernetes" / "endings"
LATER = STUCK_AFTER + timedelta(minutes=1)
"""Long enough for a container that can't be started, and not for a sandbox that may still come."""

STAGE = "echo 'shift; exec \"$@\"' > /mlectl/launch.sh; echo task > /task/instructions.txt"
COURIER = """
trap 'cp /private/notice /dev/termination-log; exit 0' TERM
answer='IFS= read -r line; [ -z "$line" ] || echo "$line" >> /private/notice; printf "HTTP/1.1 200 OK\\r\\n\\r\\n"'
while :; do nc -l -p 5001 -e /bin/sh -c "$answer" & wait $!; done
"""
WORKS = ["sh", "-c", "trap 'exit 3' TERM; while :; do sleep 0.1; done"]


@pytest.fixture
def witness(control_plane, node, restricted_namespace, request):
    api = Api.connect(control_plane.kubeconfig)
    with Witness(api, restricted_namespace) as watching:
        yield watching
        if os.environ.get("MLECTL_RECORD"):
            called = request.node.name.removeprefix("test_").replace("[", "_").rstrip("]")
            watching.write(RECORDED / f"{called}.json", next(iter(watching.jobs)))
    api.close()


def job(*command, stage=STAGE, probe="true", courier=COURIER, mode="open", image=IMAGE, **fields):
    """An agent's Job for the true node whose agent runs this command."""
    agent = {"name": "shell", "image": image, "command": list(command or WORKS), **fields.pop("agent", {})}
    placement = {"nodeSelector": {"rig/node": "real"}, **fields.pop("placement", {})}
    given = {"resources": SMALL, "network": {"mode": mode}, "agent": agent, "placement": placement, **fields}
    asked = settings(image=IMAGE, collection="PT20S", courier={"cpu": "20m", "memory": "16Mi"})
    made = agent_job(experiment(**given), agent_start(), asked, TOKEN)
    scripts = {"stage": stage, "probe": probe, "courier": courier}
    for container in made["spec"]["template"]["spec"]["initContainers"]:
        container["command"] = ["sh", "-c", literal(scripts[container["name"]])]
    del made["metadata"]["namespace"], made["metadata"]["ownerReferences"]
    return made


def running(witness, **fields):
    """The name of a Job whose agent runs, and that of its pod."""
    name = witness.create(job(**fields))
    witness.wait_for(name, lambda task: task.phase is TaskPhase.RUNNING)
    (pod,) = witness.pods_of(name)
    return name, pod["metadata"]["name"]


def says(reason, message="because", try_again=False):
    """A script that fails as a worker does."""
    said = json.dumps({"role": "x", "reason": reason, "message": message, "try_again": try_again})
    return f"echo '{said}' > /dev/termination-log; exit 1"


def evict(kubectl, namespace, pod):
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": namespace}}
    kubectl(
        "create", "--raw", f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction", "-f", "-", input=json.dumps(eviction)
    )


def test_an_agent_that_ends_well(witness):
    name = witness.create(job("sh", "-c", "sleep 1", mode="restricted"))
    task = witness.wait_until_final(name)
    assert (task.phase, task.ending, task.exit_code, task.node) == (TaskPhase.SUCCEEDED, None, 0, "rig-node")
    assert "sha256:" in task.image_id
    assert task.created_at <= task.started_at <= task.finished_at
    phases = list(dict.fromkeys(one.phase for one in witness.read[name]))
    assert phases == sorted(phases, key=list(TaskPhase).index), "it went forward only"
    assert {TaskPhase.QUEUED, TaskPhase.STAGING, TaskPhase.RUNNING} < set(phases)


def test_an_agent_that_ends_with_an_error(witness):
    task = witness.wait_until_final(witness.create(job("sh", "-c", "exit 3")))
    assert (task.phase, task.ending, task.exit_code) == (TaskPhase.FAILED, None, 3)


def test_what_is_written_in_the_spec_is_what_runs(witness):
    """Kubernetes would put something in for $(HOME) and $$, in commands as in values; and HOME is ours to say."""
    text = "$(HOME) $$"
    agent = {
        "command": ["sh", "-c", f"[ \"$1\" = '{text}' ] && [ $HOME = /home ]", "sh", text],
        "env": [{"name": "HOME", "value": "/elsewhere"}],
    }
    courier = f"""printf %s "$MLECTL_ORDER" | grep -qF '"sh","{text}"' || exit 9\n{COURIER}"""
    task = witness.wait_until_final(witness.create(job(agent=agent, courier=courier)))
    assert (task.phase, task.exit_code) == (TaskPhase.SUCCEEDED, 0)


def test_an_eviction(witness, kubectl):
    name, pod = running(witness)
    evict(kubectl, witness.namespace, pod)
    task = witness.wait_until_final(name)
    assert (task.phase, task.ending) == (TaskPhase.FAILED, Ending.DISRUPTED)
    said = ("EvictionByEvictionAPI", "DisruptionTarget")  # by the pod, or if it is gone by then, by the Job
    assert any(word in task.message for word in said)


def test_an_eviction_after_which_the_agent_ends_well(witness, kubectl):
    """The Job is Complete then and the pod is gone, so that only the courier's record tells that it was interrupted."""
    ends_well = ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.1; done"]
    name, pod = running(witness, agent={"command": ends_well})
    evict(kubectl, witness.namespace, pod)
    task = witness.wait_until_final(name)
    assert (task.phase, task.ending) in ((TaskPhase.SUCCEEDED, None), (TaskPhase.SUCCEEDED, Ending.DISRUPTED))


def test_a_pod_that_is_deleted(witness):
    name, pod = running(witness)
    witness.api.delete(PODS, witness.namespace, pod)
    assert witness.wait_until_final(name).ending is Ending.DELETED


def test_a_pod_that_is_deleted_by_force(witness):
    name, pod = running(witness)
    witness.api.delete(PODS, witness.namespace, pod, grace_seconds=0)
    assert witness.wait_until_final(name).ending is Ending.DELETED


def test_a_pod_that_is_deleted_while_it_stages(witness):
    name = witness.create(job(stage="trap 'exit 1' TERM; while :; do sleep 0.1; done"))
    witness.wait_for(name, lambda task: task.phase is TaskPhase.STAGING)
    (pod,) = witness.pods_of(name)
    witness.api.delete(PODS, witness.namespace, pod["metadata"]["name"])
    assert witness.wait_until_final(name).ending is Ending.DELETED


def test_a_child_killed_for_memory_whose_shell_carries_on(witness):
    task = witness.wait_until_final(witness.create(job("sh", "-c", "tail /dev/zero; exit 0")))
    assert (task.phase, task.ending, task.exit_code) == (TaskPhase.SUCCEEDED, Ending.OOM_KILLED, 0)


def test_an_agent_killed_for_memory(witness):
    task = witness.wait_until_final(witness.create(job("tail", "/dev/zero")))
    assert (task.phase, task.ending, task.exit_code) == (TaskPhase.FAILED, Ending.OOM_KILLED, 137)


@pytest.mark.parametrize("folder", [pytest.param("/home/code", id="folder"), pytest.param("/tmp", id="image")])
def test_an_agent_that_fills_its_disk(witness, folder):
    """A folder of the pod's, or what its image brings. The kubelet looks every now and then."""
    fills = f"head -c 160m /dev/zero > {folder}/much; {WORKS[-1]}"
    task = witness.wait_until_final(witness.create(job("sh", "-c", fills)))
    assert (task.phase, task.ending) == (TaskPhase.FAILED, Ending.DISK_FULL)
    assert "storage" in task.message


def test_an_image_that_is_not_there(witness):
    name = witness.create(job(image="docker.io/rig/missing:1"))
    witness.wait_for(name, lambda task: "ErrImagePull" in task.message or "ImagePullBackOff" in task.message)
    task = witness.task(name)
    assert (task.phase, task.ending) == (TaskPhase.STAGING, None), "it is waited for"
    assert witness.task(name, later=LATER).ending is Ending.IMAGE_PULL


def test_an_image_whose_name_is_none(witness):
    name = witness.create(job(image="No/Such::Name"))
    task = witness.wait_for(name, lambda task: task.ending)
    assert (task.ending, task.phase.is_final) == (Ending.IMAGE_PULL, False)
    assert "InvalidImageName" in task.message


def test_a_secret_that_is_not_there(witness):
    missing = {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "model-keys", "key": "token"}}}
    name = witness.create(job(agent={"env": [missing]}))
    task = witness.wait_for(name, lambda task: task.ending, later=LATER)
    assert task.ending is Ending.NOT_CONFIGURED
    assert 'secret "model-keys" not found' in task.message


def test_an_agent_image_without_a_shell(witness):
    """Here: without the launcher's folder, which the runtime says in the same way."""
    made = job()
    made["spec"]["template"]["spec"]["containers"][0]["command"] = ["/no/such/program"]
    task = witness.wait_until_final(witness.create(made))
    assert (task.phase, task.ending) == (TaskPhase.FAILED, None)
    assert "/no/such/program" in task.message


@pytest.mark.parametrize(
    "scripts, ending",
    [
        pytest.param({"stage": says("Staging", "shard 3 is broken")}, Ending.STAGING, id="stage"),
        pytest.param({"stage": "echo no word; exit 1"}, Ending.STAGING, id="stage-without-a-word"),
        pytest.param({"stage": says("StoreUnavailable")}, Ending.STORE_UNAVAILABLE, id="store"),
        pytest.param({"probe": says("NetworkNotIsolated")}, Ending.NOT_ISOLATED, id="probe"),
    ],
)
def test_a_worker_that_fails_before_the_agent(witness, scripts, ending):
    task = witness.wait_until_final(witness.create(job(mode="restricted", **scripts)))
    assert (task.phase, task.ending) == (TaskPhase.FAILED, ending)
    assert any(word in task.message for word in ("because", "shard 3", "no word"))


def test_a_courier_that_does_not_reach_the_store(witness):
    courier = f"fail() {{ {says('StoreUnavailable')}; }}; trap fail TERM; nc -l -p 5001; while :; do sleep 0.1; done"
    task = witness.wait_until_final(witness.create(job("sh", "-c", "sleep 1", courier=courier)))
    assert task.ending is Ending.STORE_UNAVAILABLE


def test_a_courier_that_can_not_begin(witness):
    """It is started again for ever, and the agent never."""
    name = witness.create(job(courier=says("StoreUnavailable")))
    task = witness.wait_for(name, lambda task: task.ending, later=LATER)
    assert (task.ending, task.phase) == (Ending.STORE_UNAVAILABLE, TaskPhase.STAGING)
    assert witness.task(name).ending is None, "it is given time"


def test_a_deadline_leaves_the_pod(witness):
    made = job()
    made["spec"]["template"]["spec"]["activeDeadlineSeconds"] = 5
    name = witness.create(made)
    assert witness.wait_until_final(name).ending is Ending.DEADLINE
    assert witness.pods_of(name), "its logs can be read"


def test_a_pod_that_no_node_takes(witness):
    name = witness.create(job(placement={"nodeSelector": {"no": "such"}}))
    task = witness.wait_for(name, lambda task: task.message)
    assert (task.phase, task.ending) == (TaskPhase.QUEUED, None)
    assert "nodes are available" in task.message


def test_a_job_whose_pod_is_refused(witness, control_plane):
    """Here by a quota. Only the Job's events say why, so the task says where to look."""
    metadata = {"name": "none", "namespace": witness.namespace}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": {"pods": "0"}}}
    control_plane.apply(quota)
    in_force = ("resourcequota/none", "--for=jsonpath={.status.hard.pods}=0", "--timeout=60s")
    control_plane.kubectl("wait", *in_force, f"--namespace={witness.namespace}")
    name = witness.create(job())
    task = witness.wait_for(name, lambda task: task.message, later=LATER)
    assert (task.phase, task.ending) == (TaskPhase.QUEUED, None)
    assert f"kubectl describe job {name} --namespace {witness.namespace}" in task.message
    assert not witness.task(name).message, "it is given time"


def test_stopped_by_us(witness):
    name, _ = running(witness)
    witness.api.patch(JOBS, witness.namespace, name, stop_patch(witness.jobs[name], "the experiment is suspended"))
    task = witness.wait_until_final(name)
    assert (task.phase, task.ending) == (TaskPhase.FAILED, Ending.STOPPED)
    phases = {pod["status"]["phase"] for pod in witness.pods_of(name)}  # one may be there yet, but ended
    assert phases <= {"Succeeded", "Failed"}


def test_stopped_by_us_in_a_queue(witness):
    """The Job fails, so that its queue has its room back, and only once its pod has had the time to collect."""
    name = witness.create(job(placement={"queue": "gpus"}))
    witness.wait_for(name, lambda task: task.phase is TaskPhase.QUEUED)
    witness.api.patch(JOBS, witness.namespace, name, {"spec": {"suspend": False}})
    witness.wait_for(name, lambda task: task.phase is TaskPhase.RUNNING)
    witness.api.patch(JOBS, witness.namespace, name, stop_patch(witness.jobs[name], "the experiment is suspended"))
    task = witness.wait_until_final(name)
    assert (task.phase, task.ending) == (TaskPhase.FAILED, Ending.STOPPED)
    assert condition_of(witness.jobs[name], "Failed")
    assert TaskPhase.COLLECTING in {one.phase for one in witness.read[name]}
    last_words = [pod for kind, pod, _ in witness.heard if kind == "pods" and pod is not None][-1]
    (courier,) = [one for one in last_words["status"]["initContainerStatuses"] if one["name"] == "courier"]
    assert "GET " in courier["state"]["terminated"]["message"], "it was told, and ended by itself"


def test_stopped_by_us_before_there_was_a_pod(witness):
    """It has an ending. Should its queue let it go before it is removed, it gets no pod any more."""
    name = witness.create(job(placement={"queue": "gpus"}))
    witness.wait_for(name, lambda task: task.phase is TaskPhase.QUEUED)
    witness.api.patch(JOBS, witness.namespace, name, stop_patch(witness.jobs[name], "the experiment was cancelled"))
    waiting = witness.wait_for(name, lambda task: task.ending)
    assert (waiting.phase, waiting.ending) == (TaskPhase.QUEUED, Ending.STOPPED)
    witness.api.patch(JOBS, witness.namespace, name, {"spec": {"suspend": False}})
    task = witness.wait_for(name, lambda task: task.phase.is_final)
    assert (task.phase, task.ending) == (TaskPhase.FAILED, Ending.STOPPED)
    assert not any(kind == "pods" for kind, _, _ in witness.heard)


def test_a_queue_lets_go_takes_back_and_lets_go_again(witness):
    """The part of Kueue is played here. The courier hears of the end by a path that the agent does not know."""
    name = witness.create(job(placement={"queue": "gpus", "nodeSelector": {}}))
    task = witness.wait_for(name, lambda task: task.phase is TaskPhase.QUEUED)
    assert not task.requeued
    assert not witness.pods_of(name)
    let_go = {"spec": {"suspend": False, "template": {"spec": {"nodeSelector": {"rig/node": "real"}}}}}
    witness.api.patch(JOBS, witness.namespace, name, let_go)
    witness.wait_for(name, lambda task: task.phase is TaskPhase.RUNNING)
    assert not any(task.requeued for task in witness.read[name])

    witness.api.patch(JOBS, witness.namespace, name, {"spec": {"suspend": True}})
    witness.wait_for(name, lambda task: task.requeued)
    assert witness.read[name][-1].phase is TaskPhase.QUEUED
    assert all(PodView(pod).has_ended for pod in witness.pods_of(name)), "it waits again only when its pod has ended"
    last_words = [pod for kind, pod, _ in witness.heard if kind == "pods" and pod is not None][-1]
    (courier,) = [one for one in last_words["status"]["initContainerStatuses"] if one["name"] == "courier"]
    notice = job()["spec"]["template"]["spec"]["containers"][0]["lifecycle"]["preStop"]["httpGet"]["path"]
    assert courier["state"]["terminated"]["message"].startswith(f"GET {notice} HTTP/")

    witness.api.patch(JOBS, witness.namespace, name, {"spec": {"suspend": False}})
    again = witness.wait_for(name, lambda task: task.phase is TaskPhase.RUNNING)
    assert not again.requeued


def test_preemption_by_priority(witness, control_plane):
    """Both want the node's only GPU, and take nobody else's."""
    gpu = {**SMALL, "gpu": {"count": 1}}
    classes = {kind: f"{kind}-{uuid.uuid4().hex[:8]}" for kind in ("low", "high")}
    for kind, value in (("low", -10), ("high", -5)):
        metadata = {"name": classes[kind]}
        control_plane.apply(
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": value}
        )
    try:
        name, _ = running(witness, resources=gpu, placement={"priorityClassName": classes["low"]})
        rival = job("true", resources=gpu, placement={"priorityClassName": classes["high"]})
        rival["metadata"]["name"] = "rival"
        rival["metadata"]["annotations"][labels.START] = rival["metadata"]["annotations"][labels.START].replace(
            name, "rival"
        )
        witness.create(rival)
        task = witness.wait_until_final(name)
        assert task.ending is Ending.DISRUPTED
        assert "PreemptionByScheduler" in task.message or "DisruptionTarget" in task.message
    finally:
        control_plane.kubectl("delete", "priorityclass", *classes.values())


def test_a_node_that_is_not_heard_of(witness, control_plane):
    """A Node without a kubelet: its pod is told to go and stays for ever."""
    dead = f"dead-{uuid.uuid4().hex[:8]}"
    control_plane.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": dead}})
    try:
        made = job(placement={"nodeSelector": {}})
        made["spec"]["template"]["spec"]["nodeName"] = dead
        name = witness.create(made)
        witness.wait_for(name, lambda task: task.node == dead)
        assert witness.task(name).ending is None
        assert witness.task(name, later=NO_SANDBOX_AFTER).ending is Ending.STAGING, "it has no sandbox"
        control_plane.kubectl("taint", "node", dead, "rig/gone=true:NoExecute")
        task = witness.wait_for(name, lambda task: task.unreachable_since)
        assert not task.phase.is_final
        assert task.unreachable_since >= task.created_at
    finally:
        control_plane.kubectl("delete", "node", dead)
    assert witness.wait_until_final(name).ending in (Ending.NODE_LOST, Ending.DISRUPTED)


def test_a_worker_that_says_that_trying_again_is_no_use(witness):
    small = {"resources": {"cpu": "50m", "memory": "32Mi"}, "storage": "32Mi", "nodeSelector": {"rig/node": "real"}}
    made = prepare_job(prepare_start(), settings(image=IMAGE, prepare=small))
    script = says("DatasetUnavailable", "nobody has accepted the rules")
    made["spec"]["template"]["spec"]["containers"][0]["command"] = ["sh", "-c", literal(script)]
    del made["metadata"]["namespace"]
    task = witness.wait_until_final(witness.create(made))
    assert (task.phase, task.exit_code, task.try_again) == (TaskPhase.FAILED, 1, False)
    assert task.message == "nobody has accepted the rules"
