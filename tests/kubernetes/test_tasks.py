"""A Job and its pods as a task: from what a real cluster told while pods ended in every way that was tried on it.

The recordings in `endings` are by tests/cluster/test_endings.py: every change of a Job and of its pods, in order. Jobs
and pods are watched separately, so the two orders can be interleaved in any way; nothing may depend on it. One is of
Jobs that were made, and whose pods were deleted, while an API server that had crashed came back: what comes of that is
a matter of luck.
"""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from orchestrator.cluster.kubernetes.endings import write_note
from orchestrator.cluster.kubernetes.labels import ENDED
from orchestrator.cluster.kubernetes.shapes import Job, keep
from orchestrator.cluster.kubernetes.tasks import task_of
from orchestrator.cluster.kubernetes.views import PodView, condition_of
from orchestrator.core.model import Ending, Note, Role, TaskPhase
from tests.kubernetes.build import agent_start
from tests.kubernetes.recordings import ENDINGS, heard, states, time_of

WHENS = ("as it was heard", "Job first", "pods first", 1, 2, 3, 4, 5)

FINAL = {
    "an_agent_that_ends_well": (TaskPhase.SUCCEEDED, {None}),
    "an_agent_that_ends_with_an_error": (TaskPhase.FAILED, {None}),
    "an_eviction": (TaskPhase.FAILED, {Ending.DISRUPTED}),
    "an_eviction_after_which_the_agent_ends_well": (TaskPhase.SUCCEEDED, {None, Ending.DISRUPTED}),
    "a_pod_that_is_deleted": (TaskPhase.FAILED, {Ending.DELETED}),
    "a_pod_that_is_deleted_by_force": (TaskPhase.FAILED, {Ending.DELETED}),
    "a_pod_that_is_deleted_while_it_stages": (TaskPhase.FAILED, {Ending.DELETED}),
    "a_pod_that_is_deleted_before_its_job_sees_it": (TaskPhase.FAILED, {Ending.DELETED}),
    "a_child_killed_for_memory_whose_shell_carries_on": (TaskPhase.SUCCEEDED, {Ending.OOM_KILLED}),
    "an_agent_killed_for_memory": (TaskPhase.FAILED, {Ending.OOM_KILLED}),
    "an_agent_that_fills_its_disk_folder": (TaskPhase.FAILED, {Ending.DISK_FULL}),
    "an_agent_that_fills_its_disk_image": (TaskPhase.FAILED, {Ending.DISK_FULL}),
    "an_agent_image_without_a_shell": (TaskPhase.FAILED, {None}),
    "a_worker_that_fails_before_the_agent_stage": (TaskPhase.FAILED, {Ending.STAGING}),
    "a_worker_that_fails_before_the_agent_stage-without-a-word": (TaskPhase.FAILED, {Ending.STAGING}),
    "a_worker_that_fails_before_the_agent_store": (TaskPhase.FAILED, {Ending.STORE_UNAVAILABLE}),
    "a_worker_that_fails_before_the_agent_probe": (TaskPhase.FAILED, {Ending.NOT_ISOLATED}),
    "a_courier_that_does_not_reach_the_store": (TaskPhase.SUCCEEDED, {Ending.STORE_UNAVAILABLE}),
    "a_deadline_leaves_the_pod": (TaskPhase.FAILED, {Ending.DEADLINE}),
    "stopped_by_us": (TaskPhase.FAILED, {Ending.STOPPED}),
    "stopped_by_us_in_a_queue": (TaskPhase.FAILED, {Ending.STOPPED}),
    "preemption_by_priority": (TaskPhase.FAILED, {Ending.DISRUPTED}),
    "a_node_that_is_not_heard_of": (TaskPhase.FAILED, {Ending.NODE_LOST, Ending.DISRUPTED}),
    "a_worker_that_says_that_trying_again_is_no_use": (TaskPhase.FAILED, {None}),
}


def tasks_read(changes, now=None):
    """The task that can be read after each change, once there is a Job."""
    for job, pods in states(changes):
        yield task_of(job, pods, now or time_of(job))


def interleaved(changes, when):
    """The same changes, each kind in its own order."""
    if when == "as it was heard":
        return changes
    jobs = [change for change in changes if change["kind"] == "jobs"]
    pods = [change for change in changes if change["kind"] == "pods"]
    if when == "Job first":
        return [*jobs, *pods]
    if when == "pods first":
        return [*pods, *jobs]
    order = [jobs] * len(jobs) + [pods] * len(pods)
    Random(when).shuffle(order)
    sources = {id(jobs): iter(jobs), id(pods): iter(pods)}
    return [next(sources[id(source)]) for source in order]


@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("name", FINAL)
def test_the_end_is_told_for_what_it_was_in_whatever_order_it_is_heard(name, when):
    phase, endings = FINAL[name]
    tasks = list(tasks_read(interleaved(heard(name), when)))
    assert (tasks[-1].phase, tasks[-1].ending in endings) == (phase, True)
    for task in tasks:
        if task.phase.is_final:
            assert task.phase is phase
            assert task.ending in endings or seems_gone(task)


@pytest.mark.parametrize("when", WHENS)
def test_a_job_that_ends_its_pod_itself_has_failed_when_it_says_so_and_not_before(when):
    """It counts the failure before the pod has had the time to collect."""
    for job, pods in states(interleaved(heard("stopped_by_us_in_a_queue"), when)):
        if task_of(job, pods, time_of(job)).phase.is_final:
            assert condition_of(job, "Failed")


def seems_gone(task):
    """Of a Job that is heard of before its pods no pod is known. That is never held against an agent."""
    return task.node is None and task.ending is (Ending.DELETED if task.phase is TaskPhase.FAILED else None)


def test_a_task_has_what_its_job_was_made_for():
    (*_, task) = tasks_read(heard("an_agent_that_ends_well"))
    start = agent_start()
    assert (task.name, task.role, task.competition, task.seed, task.attempt) == (start.name, Role.AGENT, "birds", 0, 1)
    assert (task.exit_code, task.node) == (0, "rig-node")
    assert "sha256:" in task.image_id
    assert task.created_at <= task.started_at <= task.finished_at


def test_phases_follow_each_other():
    phases = list(dict.fromkeys(task.phase for task in tasks_read(heard("an_agent_that_ends_well"))))
    assert phases == [phase for phase in TaskPhase if phase is not TaskPhase.FAILED and phase in phases]
    assert {TaskPhase.QUEUED, TaskPhase.STAGING, TaskPhase.RUNNING} < set(phases)


@pytest.mark.parametrize(
    "name, ending, said",
    [
        ("an_image_that_is_not_there", Ending.IMAGE_PULL, "rig/missing:1"),
        ("a_secret_that_is_not_there", Ending.NOT_CONFIGURED, 'secret "model-keys" not found'),
        ("a_courier_that_can_not_begin", Ending.STORE_UNAVAILABLE, "because"),
    ],
)
def test_what_can_not_go_on_is_given_time_and_then_an_ending(name, ending, said):
    (*_, early) = tasks_read(heard(name))
    assert early.ending is None
    (*_, late) = tasks_read(heard(name), now=datetime(2030, 1, 1, tzinfo=UTC))
    assert (late.phase, late.ending) == (TaskPhase.STAGING, ending)
    assert said in late.message


def test_a_name_that_no_image_can_have_is_not_waited_for():
    (*_, task) = tasks_read(heard("an_image_whose_name_is_none"))
    assert (task.phase, task.ending) == (TaskPhase.STAGING, Ending.IMAGE_PULL)


def pods_heard(name):
    return [one["object"] for one in heard(name) if one["kind"] == "pods" and one["object"] is not None]


def without_sandbox(pods):
    """The first pod that has a node, as the recording has it, and the same before its kubelet has said a word."""
    pod = next(pod for pod in pods if PodView(pod).lacks("PodReadyToStartContainers") and pod["spec"].get("nodeName"))
    pod["metadata"]["namespace"] = "agents"
    conditions = [one for one in pod["status"]["conditions"] if one["type"] == "PodScheduled"]
    return pod, {**pod, "status": {"phase": "Pending", "conditions": conditions}}


@pytest.mark.parametrize("pod", without_sandbox(pods_heard("an_agent_that_ends_well")), ids=["denied", "not-a-word"])
def test_a_pod_without_a_sandbox_is_given_fifteen_minutes_and_then_an_ending(pod):
    job = next(states(heard("an_agent_that_ends_well")))[0]
    scheduled = PodView(pod).condition("PodScheduled").since
    early, late = scheduled + timedelta(minutes=14), scheduled + timedelta(minutes=15)
    assert task_of(job, [pod], early).ending is None
    task = task_of(job, [pod], late)
    assert (task.phase, task.ending) == (TaskPhase.STAGING, Ending.STAGING)
    assert f"kubectl describe pod {pod['metadata']['name']} --namespace agents" in task.message
    assert task_of(job, [pod], early).changes_at == late


def test_a_pod_of_which_something_has_begun_has_a_sandbox_whatever_it_says_later():
    """A sandbox goes with the last container, and pods that wait for an image have one."""
    late = datetime(2030, 1, 1, tzinfo=UTC)
    for name in ("an_agent_that_ends_well", "a_deadline_leaves_the_pod", "an_image_that_is_not_there"):
        job, _ = next(states(heard(name)))
        began = [pod for pod in pods_heard(name) if PodView(pod).containers and PodView(pod).container("stage").ended]
        assert began
        assert not any(task_of(job, [pod], late).ending is Ending.STAGING for pod in began)


def test_a_job_that_gets_no_pod_says_where_to_look():
    job, pods = next(states(heard("an_agent_that_ends_well")))
    assert not pods
    let_go = {**job, "status": {"startTime": "2026-01-01T12:00:00Z"}}
    at = datetime(2026, 1, 1, 12, 1, 59, tzinfo=UTC)
    assert task_of(let_go, [], at).message == ""
    soon = task_of(let_go, [], at).changes_at
    task = task_of(let_go, [], soon)
    name = job["metadata"]["name"]
    assert (task.phase, task.ending) == (TaskPhase.QUEUED, None)
    assert task.message == f"Its Job has no pod; `kubectl describe job {name} --namespace agents` says why."
    for waits in ({"spec": {"suspend": True}}, {"status": {**let_go["status"], "active": 1}}):
        assert task_of({**let_go, **waits}, [], soon).message == ""


def test_the_schedulers_words_stay_the_same_while_nodes_of_the_same_kinds_come_and_go():
    (*_, (job, (pod,))) = states(heard("a_pod_that_no_node_takes"))
    words = (
        "0/3 nodes are available: 1 node(s) had untolerated taint {a: b}, 2 Insufficient cpu. preemption: 0/3 nodes.",
        "0/12 nodes are available: 2 node(s) had untolerated taint {a: b}, 10 Insufficient cpu.",
    )
    said = set()
    for message in words:
        pod["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "message": message}]
        said.add(task_of(job, [pod], time_of(job)).message)
    assert said == {"No nodes are available: Insufficient cpu, node(s) had untolerated taint {a: b}."}


def test_a_pod_that_no_node_takes_is_queued_with_the_schedulers_words():
    (*_, task) = tasks_read(heard("a_pod_that_no_node_takes"))
    assert (task.phase, task.ending) == (TaskPhase.QUEUED, None)
    assert "nodes are available" in task.message


@pytest.mark.parametrize("when", WHENS)
def test_a_queue_that_takes_a_job_back_is_told_from_one_that_has_not_let_it_go_yet(when):
    tasks = list(tasks_read(interleaved(heard("a_queue_lets_go_takes_back_and_lets_go_again"), when)))
    assert not any(task.phase.is_final for task in tasks)
    assert not tasks[0].requeued
    assert any(task.requeued for task in tasks) or when != "as it was heard"
    assert all(task.phase is TaskPhase.QUEUED for task in tasks if task.requeued)
    assert not tasks[-1].requeued


def test_a_pod_on_a_silent_node_is_unreachable_since_it_was_told_to_go():
    told = [task for task in tasks_read(heard("a_node_that_is_not_heard_of")) if task.unreachable_since]
    assert told
    assert all(not task.phase.is_final and task.unreachable_since >= task.created_at for task in told)


def made_unready(name="an_agent_that_ends_well", **statuses):
    """A Job whose agent runs, and its pod as the node controller leaves it when it has not heard of the node."""
    changes = [one for one in heard(name) if one["object"] is not None]
    job = next(one["object"] for one in changes if one["kind"] == "jobs")
    pods = (one["object"] for one in changes if one["kind"] == "pods")
    pod = next(one for one in pods if PodView(one).main(Role.AGENT).is_running)
    for condition in pod["status"]["conditions"]:
        if condition["type"] in statuses:
            condition |= {"status": statuses[condition["type"]], "lastTransitionTime": "2029-01-01T00:00:00Z"}
    return job, pod


def test_a_pod_that_is_not_ready_although_its_containers_are_is_unreachable():
    """The only sign of a lost node where the pod tolerates everything: nobody tells it to go."""
    job, pod = made_unready(Ready="False")
    task = task_of(job, [pod], time_of(job))
    assert (task.phase, task.unreachable_since) == (TaskPhase.RUNNING, datetime(2029, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    "statuses",
    [
        pytest.param({}, id="a pod that is well"),
        pytest.param(
            {"Ready": "False", "ContainersReady": "False"}, id="a pod whose kubelet says that it is not ready"
        ),
    ],
)
def test_a_pod_that_its_kubelet_tells_of_is_not_unreachable(statuses):
    job, pod = made_unready(**statuses)
    assert task_of(job, [pod], time_of(job)).unreachable_since is None


@pytest.mark.parametrize("name", sorted(path.stem for path in ENDINGS.glob("*.json")))
def test_no_pod_looks_unreachable_but_one_on_a_silent_node(name):
    """At a time at which nothing is overdue."""
    tasks = tasks_read(heard(name), now=datetime(2020, 1, 1, tzinfo=UTC))
    assert any(task.unreachable_since for task in tasks) == (name == "a_node_that_is_not_heard_of")


def test_a_pod_that_is_overdue_is_unreachable_since_its_grace_was_over():
    """Whoever told it to go: a node that does not do it is not heard of."""
    tasks = list(tasks_read(heard("a_pod_that_is_deleted"), now=datetime(2030, 1, 1, tzinfo=UTC)))
    overdue = [task for task in tasks if task.unreachable_since]
    assert overdue
    assert all(task.phase is TaskPhase.COLLECTING for task in overdue)
    assert not any(task.unreachable_since for task in tasks_read(heard("a_pod_that_is_deleted"), tasks[0].created_at))


def test_a_container_that_could_not_be_started_says_why():
    (*_, task) = tasks_read(heard("an_agent_image_without_a_shell"))
    assert "/no/such/program" in task.message


@pytest.mark.parametrize("when", WHENS)
def test_a_job_that_is_stopped_while_it_waits_in_a_queue_has_an_ending_but_is_not_final(when):
    """Its queue may let it go, until it is removed."""
    tasks = list(tasks_read(interleaved(heard("stopped_by_us_before_there_was_a_pod"), when)))
    waiting = [task for task in tasks if not task.phase.is_final]
    assert {task.phase for task in waiting} == {TaskPhase.QUEUED}
    assert Ending.STOPPED in {task.ending for task in waiting}


def test_a_stopped_job_is_final_only_when_no_pod_of_it_is_left():
    """Also if its pods are not known yet: the Job controller counts them."""
    changes = heard("stopped_by_us")
    (job,) = [change["object"] for change in changes if change["kind"] == "jobs"][-1:]
    assert task_of(job, [], time_of(job)).phase is TaskPhase.FAILED
    going = {**job, "status": {**job["status"], "terminating": 1}}
    assert task_of(going, [], time_of(job)).phase is TaskPhase.QUEUED


@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("name", [path.stem for path in ENDINGS.glob("stopped_by_us*.json")])
def test_what_we_stop_was_not_taken_back_by_a_queue(name, when):
    """Also not between its pod's end and the Job controller's word that no pod is left."""
    tasks = list(tasks_read(interleaved(heard(name), when)))
    assert not any(task.requeued for task in tasks)


def test_a_deleted_pod_in_its_last_moment_is_a_deleted_pod():
    """At the very end it is deleted once more without grace, at a time after its containers' end."""
    changes = heard("a_pod_that_is_deleted")
    (job,) = [change["object"] for change in changes if change["kind"] == "jobs"][-1:]
    pod = [change["object"] for change in changes if change["kind"] == "pods" and change["object"]][-1]
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 0
    pod["metadata"]["deletionTimestamp"] = "2029-01-01T00:00:00Z"
    assert task_of(job, [pod], time_of(job)).ending is Ending.DELETED


def test_a_pod_that_was_told_to_go_is_looked_at_again_when_it_should_be_gone():
    """Where its node is silent nobody reports that it is overdue."""
    told = next(
        (job, pods) for job, pods in states(heard("a_pod_that_is_deleted")) if pods and PodView(pods[0]).must_be_gone_at
    )
    until = PodView(told[1][0]).must_be_gone_at
    before = task_of(*told, until - timedelta(seconds=1))
    assert (before.unreachable_since, before.changes_at) == (None, until)
    assert task_of(*told, before.changes_at).unreachable_since == until


def test_a_pod_that_is_removed_after_its_end_had_ended_by_itself():
    changes = heard("an_agent_killed_for_memory")
    (job,) = [change["object"] for change in changes if change["kind"] == "jobs"][-1:]
    pod = [change["object"] for change in changes if change["kind"] == "pods" and change["object"]][-1]
    pod["metadata"] |= {"deletionTimestamp": "2029-01-01T00:00:00Z", "deletionGracePeriodSeconds": 80}
    assert task_of(job, [pod], time_of(job)).ending is Ending.OOM_KILLED


def test_a_node_that_refuses_a_pod_is_no_fault_of_the_attempt():
    (job,) = [one["object"] for one in heard("an_agent_that_ends_with_an_error") if one["kind"] == "jobs"][-1:]
    pod = {
        "metadata": {"name": "p", "creationTimestamp": job["metadata"]["creationTimestamp"]},
        "spec": {"nodeName": "gpu-7"},
        "status": {"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": "no such device"},
    }
    task = task_of(job, [pod], time_of(job))
    assert (task.ending, task.message) == (Ending.DISRUPTED, "UnexpectedAdmissionError: no such device")


EVICTED = {
    "Pod ephemeral local storage usage exceeds the total limit of containers 64Mi. ": Ending.DISK_FULL,
    'Container agent exceeded its local ephemeral storage limit "32Mi". ': Ending.DISK_FULL,
    'Usage of EmptyDir volume "code" exceeds the limit "32Mi". ': Ending.DISK_FULL,
    'Container courier exceeded its local ephemeral storage limit "32Mi". ': None,
    "The node was low on resource: ephemeral-storage. Container agent was using 9Gi, request is 1Gi. ": None,
}


@pytest.mark.parametrize("said, ending", EVICTED.items())
def test_an_agent_that_filled_its_disk_is_told_from_a_node_that_is_short_of_it(said, ending):
    job, pod = evicted(said)
    assert task_of(job, [pod], time_of(job)).ending is ending
    pressed = {"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet", "message": said}
    pod["status"]["conditions"].append(pressed)
    assert task_of(job, [pod], time_of(job)).ending is Ending.DISRUPTED


@pytest.mark.parametrize(
    "state",
    [
        pytest.param({"waiting": {"reason": "PodInitializing"}}, id="the agent waits"),
        pytest.param({"terminated": {"reason": "ContainerStatusUnknown", "exitCode": 137}}, id="it was waiting"),
    ],
)
def test_a_disk_that_was_full_before_the_agent_ran_is_not_its_fault(state):
    job, pod = evicted(next(iter(EVICTED)))
    (agent,) = pod["status"]["containerStatuses"]
    agent["state"] = state
    assert task_of(job, [pod], time_of(job)).ending is not Ending.DISK_FULL


def evicted(said):
    """A Job and its pod whose agent had run."""
    (job,) = [one["object"] for one in heard("an_agent_that_ends_with_an_error") if one["kind"] == "jobs"][-1:]
    pod = [one["object"] for one in heard("an_agent_that_ends_with_an_error") if one["kind"] == "pods"][-1]
    pod["status"] |= {"reason": "Evicted", "message": said}
    return job, pod


def test_what_the_agent_writes_as_its_last_words_is_not_read():
    (job,) = [one["object"] for one in heard("an_agent_that_ends_with_an_error") if one["kind"] == "jobs"][-1:]
    pod = [one["object"] for one in heard("an_agent_that_ends_with_an_error") if one["kind"] == "pods"][-1]
    (agent,) = pod["status"]["containerStatuses"]
    agent["state"]["terminated"]["message"] = '{"reason": "StoreUnavailable", "message": "trust me", "try_again": true}'
    task = task_of(job, [pod], time_of(job))
    assert (task.ending, task.message) == (None, "")


def test_a_worker_says_itself_whether_to_try_again():
    (*_, task) = tasks_read(heard("a_worker_that_says_that_trying_again_is_no_use"))
    assert (task.role, task.exit_code, task.try_again) == (Role.PREPARE, 1, False)
    assert task.message == "nobody has accepted the rules"


@pytest.mark.parametrize(
    "name, ending",
    [
        pytest.param("a_worker_that_says_that_trying_again_is_no_use", None, id="what a worker said"),
        pytest.param("an_agent_killed_for_memory", Ending.OOM_KILLED, id="what the platform said"),
    ],
)
def test_what_was_noted_outlives_the_pod(name, ending):
    (*_, (job, pods)) = states(heard(name))
    before = task_of(job, pods, time_of(job))
    assert (before.ending, before.is_noted) == (ending, False)
    assert task_of(job, [], time_of(job)).ending is Ending.DELETED

    note = write_note(Note(before.name, before.ending, before.message, before.try_again))
    written = {**job, "metadata": {**job["metadata"], "annotations": {**job["metadata"]["annotations"], ENDED: note}}}
    kept = keep(Job, {**written, "spec": {**job["spec"], "template": "not kept"}})
    for seen in (pods, []):
        after = task_of(kept, seen, time_of(job))
        assert (after.ending, after.message, after.try_again) == (before.ending, before.message, before.try_again)
        assert after.is_noted
