"""Pods that are deleted, machines that are lost: tried again, and never held against an agent."""

import json

import pytest

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import JOBS, PODS
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS, attempts_of, total
from tests.cluster.played_nodes import LABEL, NODES
from tests.cluster.player import Script

FIRST, SECOND = COMPETITIONS


def test_what_a_failed_try_said_outlives_its_pod(lab):
    """The pod goes with its node; the Job stays, and says by itself that trying again is no use."""
    lab.player.script = lambda cast: Script(exit_code=1, refusal="accept the rules")
    lab.submit(competitions={"ids": [FIRST]})
    controller = lab.controller()
    lab.wait_for_phase("Failed")
    (job,) = lab.jobs("prepare")
    assert json.loads(job["metadata"]["annotations"][labels.ENDED])["message"] == "accept the rules"
    (pod,) = lab.api.list(PODS, lab.system).items
    lab.api.delete(PODS, lab.system, pod["metadata"]["name"], grace_seconds=0)
    lab.wait(lambda: not lab.api.list(PODS, lab.system).items, "the pod is gone")
    controller.kill()
    controller = lab.controller()
    looked = r"mlectl_reconcile_seconds_count"
    lab.wait(lambda: total(controller.get("/metrics"), looked) >= 2, "another controller has looked at it")
    assert lab.status()["phase"] == "Failed"
    assert lab.status()["datasets"][0]["message"] == "accept the rules"
    assert len(lab.jobs("prepare")) == 1


def test_a_deleted_pod_is_tried_again_and_never_a_zero(lab):
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.attempt == 1)
    lab.submit(competitions={"ids": [FIRST]})
    lab.controller()
    lab.wait(lambda: attempts_of(lab), "the agent runs")
    (cast,) = (cast for cast in lab.player.played if cast.role is Role.AGENT)
    lab.api.delete(PODS, lab.agents, cast.name)
    lab.wait_for_phase("Succeeded")
    assert attempts_of(lab) == [(FIRST, 0, 1), (FIRST, 0, 2)]


@pytest.mark.parametrize(
    "tolerations",
    [
        pytest.param([], id="its pod is told to go"),
        pytest.param([{"operator": "Exists"}], id="its pod tolerates everything"),
    ],
)
def test_a_lost_machine_is_never_counted_as_a_failed_agent(lab, tolerations):
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.attempt == 1)
    placement = {**lab.nodes.placement, "tolerations": [*lab.nodes.placement["tolerations"], *tolerations]}
    experiment = lab.submit(competitions={"ids": [FIRST]}, retries={"infrastructure": 1}, placement=placement)
    lab.controller()
    lab.wait(lambda: attempts_of(lab), "the agent runs")
    (cast,) = (cast for cast in lab.player.played if cast.role is Role.AGENT)
    lab.api.patch(NODES, None, cast.node, {"metadata": {"labels": {LABEL: "lost"}}})  # else some tolerate it again
    lab.player.lose(cast.node)
    lab.wait(lambda: len(attempts_of(lab)) == 2, "another attempt runs")
    outcome = json.loads(lab.stores.runs.read(lab.keys(experiment).attempt(FIRST, 0, 1).outcome))
    assert (outcome["reason"], outcome["verdict"], outcome["node"]) == ("NodeLost", "retry", cast.node)
    lab.player.bring_back(cast.node)
    lab.wait_for_phase("Succeeded")
    assert lab.rows()[(FIRST, 0)]["attempt"] == 2
    again = [one for one in lab.player.played if one.role is Role.AGENT and one.attempt == 2]
    assert [one.node != cast.node for one in again] == [True]


def test_what_is_collected_on_a_node_that_somebody_clears_is_graded(lab):
    """The taint manager deletes the pod as if its node were silent. The courier collects for longer than the patience,
    and shows that it is alive."""
    lab.player.script = lambda cast: Script(collect_seconds=45.0 if cast.role is Role.AGENT else 0.0)
    experiment = lab.submit(competitions={"ids": [FIRST]})
    lab.controller()
    keys = lab.keys(experiment).attempt(FIRST, 0, 1)
    lab.wait(lambda: b"stopped_at" in (lab.stores.runs.read(keys.clock) or b""), "it is being collected")
    (cast,) = (cast for cast in lab.player.played if cast.role is Role.AGENT)
    node = lab.api.get(NODES, None, cast.node)
    taints = [*node["spec"]["taints"], {"key": "rig/cleared", "value": "true", "effect": "NoExecute"}]
    lab.api.patch(NODES, None, cast.node, {"spec": {"taints": taints}})
    lab.wait(
        lambda: "deletionTimestamp" in (lab.api.get(PODS, lab.agents, cast.name) or {"metadata": {}})["metadata"],
        "its pod is told to go",
    )
    lab.wait_for_phase("Succeeded")
    assert attempts_of(lab) == [(FIRST, 0, 1)]
    assert json.loads(lab.stores.runs.read(keys.outcome))["verdict"] == "grade"


JOB_CONTROLLER = "kube-controller-manager"


def test_a_job_that_never_says_that_it_has_failed_is_tried_again(spare_control_plane, spare_lab):
    """After an outage the Job controller may follow Jobs again before it follows pods. A pod that it makes and that
    somebody deletes before it sees it is counted, and for ever waited for. Whether that happens is a matter of luck, so
    here the Job controller is dead, and its part is played as
    tests/kubernetes/endings/a_pod_that_is_deleted_before_its_job_sees_it.json has it."""
    lab = spare_lab
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.attempt == 1)
    lab.submit(competitions={"ids": COMPETITIONS[:1]})
    lab.controller()
    lab.wait(lambda: any(cast.role is Role.AGENT for cast in lab.player.played), "the agent runs")

    spare_control_plane.kill(JOB_CONTROLLER)
    (job,) = lab.jobs("agent")
    (pod,) = lab.api.list(PODS, lab.agents).items
    lab.api.delete(PODS, lab.agents, pod["metadata"]["name"], grace_seconds=0)
    lab.wait(lambda: not lab.player.lives, "its pod has ended")
    lab.api.patch(PODS, lab.agents, pod["metadata"]["name"], {"metadata": {"finalizers": None}})
    counted = {"active": None, "ready": 0, "terminating": 0, "failed": 1}
    lab.api.patch(JOBS, lab.agents, job["metadata"]["name"], {"status": counted}, subresource="status")

    made = lab.wait(lambda: lab.jobs("agent")[1:] and lab.jobs("agent"), "the run is tried again")
    assert {one["metadata"]["labels"][labels.ATTEMPT] for one in made} == {"1", "2"}

    spare_control_plane.start(JOB_CONTROLLER)
    lab.wait_for_phase("Succeeded")
    (row,) = lab.rows().values()
    assert (row["attempt"], row["state"]) == (2, "Graded")
