"""A Job that has failed and never says so: the Job controller waits for a pod that it has made, ended and counted.

It happens when the API server was away and the Job controller, which follows Jobs again before it follows pods, makes a
pod that is deleted before it sees it. Whether it does is a matter of luck, so here the Job controller is dead, and its
part is played as tests/kubernetes/endings/a_pod_that_is_deleted_before_its_job_sees_it.json has it.
"""

from contextlib import ExitStack

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import JOBS, PODS
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS, Lab
from tests.cluster.player import Script

JOB_CONTROLLER = "kube-controller-manager"


def test_a_job_that_never_says_that_it_has_failed_is_tried_again(spare_control_plane, tmp_path):
    with ExitStack() as stack:
        lab = Lab.open(
            spare_control_plane,
            tmp_path,
            lambda **options: stack.enter_context(spare_control_plane.namespace(**options)),
            stack,
        )
        lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.attempt == 1)
        lab.submit(competitions={"ids": COMPETITIONS[:1]})
        lab.controller()
        lab.wait(lambda: any(cast.role is Role.AGENT for cast in lab.player.played), "the agent runs")

        spare_control_plane.kill(JOB_CONTROLLER)
        stack.callback(spare_control_plane.start, JOB_CONTROLLER)
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
