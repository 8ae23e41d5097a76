"""A Job and its pods as a task: from what a real cluster told while pods ended in every way that was tried on it.

The recordings in `endings` are by tests/cluster/test_endings.py: every change of a Job and of its pods, in order. Jobs
and pods are watched separately, so the two orders can be interleaved in any way; nothing may depend on it.
"""

from datetime import UTC, datetime
from random import Random

import pytest

from orchestrator.cluster.kubernetes.tasks import task_of
from orchestrator.core.model import Ending, Role, TaskPhase
from tests.kubernetes.build import agent_start
from tests.kubernetes.recordings import heard, states, time_of

WHENS = ("as it was heard", "Job first", "pods first", 1, 2, 3, 4, 5)

FINAL = {
    "an_agent_that_ends_well": (TaskPhase.SUCCEEDED, {None}),
    "an_agent_that_ends_with_an_error": (TaskPhase.FAILED, {None}),
    "an_eviction": (TaskPhase.FAILED, {Ending.DISRUPTED}),
    "an_eviction_after_which_the_agent_ends_well": (TaskPhase.SUCCEEDED, {None, Ending.DISRUPTED}),
    "a_pod_that_is_deleted": (TaskPhase.FAILED, {Ending.DELETED}),
    "a_pod_that_is_deleted_by_force": (TaskPhase.FAILED, {Ending.DELETED}),
    "a_pod_that_is_deleted_while_it_stages": (TaskPhase.FAILED, {Ending.DELETED}),
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
    "stopped_by_us_before_there_was_a_pod": (TaskPhase.FAILED, {Ending.STOPPED}),
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


def test_a_stopped_job_is_final_only_when_no_pod_of_it_is_left():
    """Also if its pods are not known yet: the Job controller counts them."""
    changes = heard("stopped_by_us")
    (job,) = [change["object"] for change in changes if change["kind"] == "jobs"][-1:]
    assert task_of(job, [], time_of(job)).phase is TaskPhase.FAILED
    going = {**job, "status": {**job["status"], "terminating": 1}}
    assert task_of(going, [], time_of(job)).phase is TaskPhase.QUEUED


def test_a_deleted_pod_in_its_last_moment_is_a_deleted_pod():
    """At the very end it is deleted once more without grace, at a time after its containers' end."""
    changes = heard("a_pod_that_is_deleted")
    (job,) = [change["object"] for change in changes if change["kind"] == "jobs"][-1:]
    pod = [change["object"] for change in changes if change["kind"] == "pods" and change["object"]][-1]
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 0
    pod["metadata"]["deletionTimestamp"] = "2029-01-01T00:00:00Z"
    assert task_of(job, [pod], time_of(job)).ending is Ending.DELETED


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
