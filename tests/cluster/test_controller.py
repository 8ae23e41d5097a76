"""A controller on a real control plane; a player stands in for what containers do."""

import json
import operator
import shutil
import subprocess

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS, LEASES, NETWORK_POLICIES
from orchestrator.controller.serve import LEASE
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS, attempts_of, total
from tests.cluster.player import Script

FIRST, SECOND = COMPETITIONS


def agents_run_for(seconds):
    return lambda cast: Script(run_seconds=seconds) if cast.role is Role.AGENT else Script()


def agents_run_forever(cast):
    return Script(forever=cast.role is Role.AGENT)


def test_an_experiment_goes_from_apply_to_succeeded(lab):
    experiment = lab.submit(seeds=2)
    controller = lab.controller()
    status = lab.wait_for_phase("Succeeded", "Degraded", "Failed")
    assert status["phase"] == "Succeeded"
    assert status["runs"]["graded"] == status["runs"]["total"] == 4
    assert {row["medal"] for row in status["results"]} == {"bronze"}
    assert attempts_of(lab) == [(one, seed, 1) for one in (FIRST, SECOND) for seed in (0, 1)]
    assert len(lab.player.reports) == 4

    lab.wait(lambda: lab.status().get("report"), "the status says where the report is")
    assert lab.stores.runs.read(lab.keys(experiment).report) is not None
    (policy,) = lab.api.list(NETWORK_POLICIES, lab.agents).items
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
    told_of = [line for line in controller.lines() if line["message"].startswith("started agent")]
    assert {(line["experiment"], line["competition"], line["seed"]) for line in told_of} == {
        (f"{lab.agents}/trial", one, seed) for one in (FIRST, SECOND) for seed in (0, 1)
    }
    assert controller.stop() == 0


def test_what_prepares_and_grades_goes_with_the_lease_of_the_controller(lab):
    """Which is the release's: an experiment can't own what is in another namespace."""
    lab.submit()
    controller = lab.controller()
    lab.wait_for_phase("Succeeded")
    assert controller.stop() == 0
    workers = [job for role in ("prepare", "grade") for job in lab.jobs(role)]
    lease = lab.api.get(LEASES, lab.system, LEASE)
    owners = [(one["kind"], one["uid"]) for job in workers for one in job["metadata"]["ownerReferences"]]
    assert owners == [("Lease", lease["metadata"]["uid"])] * 4
    lab.api.delete(LEASES, lab.system, LEASE)
    lab.wait(lambda: not lab.jobs("prepare") and not lab.jobs("grade"), "they are collected")
    assert len(lab.jobs("agent")) == 2, "agents' are the experiment's"


def test_the_status_is_written_at_most_once_a_reconcile_and_not_at_all_when_nothing_changes(lab):
    lab.submit()
    controller = lab.controller()
    lab.wait_for_phase("Succeeded")
    lab.wait(lambda: lab.status().get("report"), "the status says where the report is")

    def writes_and_reconciles():
        metrics = controller.get("/metrics")
        patches = r'mlectl_api_requests_total\{code="200",resource="experimentruns",verb="patch"\}'
        return total(metrics, patches), total(metrics, "mlectl_reconcile_seconds_count")

    # A reconcile is counted when it ends, its write a little before.
    lab.wait(lambda: operator.le(*writes_and_reconciles()), "no more writes than reconciles")
    writes, looked = writes_and_reconciles()
    assert writes > 0

    lab.annotate(note="something to look at that changes nothing")
    lab.wait(lambda: writes_and_reconciles()[1] > looked, "it was looked at again")
    assert writes_and_reconciles()[0] == writes


def test_promtool_finds_no_fault_with_the_metrics(lab):
    promtool = shutil.which("promtool")
    assert promtool, "promtool is not installed; apt-get install prometheus"
    lab.submit()
    controller = lab.controller()
    lab.wait_for_phase("Succeeded")
    graded = f'mlectl_runs{{experiment="trial",fault="",namespace="{lab.agents}",reason="",state="Graded"}} 2.0'
    lab.wait(lambda: graded in controller.get("/metrics"), "the metrics say that both runs are graded")
    metrics = controller.get("/metrics")
    said = subprocess.run([promtool, "check", "metrics"], input=metrics, text=True, capture_output=True)
    assert (said.returncode, said.stderr) == (0, "")

    lab.api.delete(EXPERIMENTS, lab.agents, "trial")
    lab.wait(lambda: 'experiment="trial"' not in controller.get("/metrics"), "its series went with it")


def test_a_controller_that_is_killed_loses_nothing(lab):
    """Killed while agents run, again while some are graded: each run has one attempt and one report."""
    lab.player.script = agents_run_for(3.0)
    lab.submit(seeds=2)
    lab.controller().kill()
    lab.controller()
    lab.wait(lambda: len(attempts_of(lab)) >= 2, "agents run")
    lab.controllers[-1].kill()
    lab.wait(lambda: len(lab.player.lives) == 0, "agents end while no controller is there")
    lab.controller()
    lab.wait(lambda: len(attempts_of(lab, Role.GRADE)) >= 1, "grading has begun")
    lab.controllers[-1].kill()
    lab.controller()
    lab.wait_for_phase("Succeeded")
    assert attempts_of(lab) == [(one, seed, 1) for one in (FIRST, SECOND) for seed in (0, 1)]
    assert len(lab.player.reports) == 4


def test_a_suspended_experiment_goes_on_later_with_the_time_that_is_left(lab):
    lab.player.script = lambda cast: Script(
        forever=cast.role is Role.AGENT and cast.attempt == 1, says_seconds=100.0 * cast.attempt
    )
    lab.submit(agent={"name": "played", "image": "played:1", "resume": True})
    lab.controller()
    lab.wait(lambda: len(attempts_of(lab)) == 2, "agents run")
    lab.change({"spec": {"suspend": True}})
    lab.wait_for_phase("Suspended")
    lab.wait(lambda: not lab.player.lives, "agents were told to go")
    lab.wait(lambda: lab.status()["runs"]["running"] == 0, "nothing runs")
    assert attempts_of(lab) == [(FIRST, 0, 1), (SECOND, 0, 1)]

    lab.change({"spec": {"suspend": False}})
    lab.wait_for_phase("Succeeded")
    assert attempts_of(lab) == [(one, 0, number) for one in (FIRST, SECOND) for number in (1, 2)]
    second = [json.loads(job["metadata"]["annotations"][labels.START]) for job in lab.jobs("agent")]
    resumed = [start for start in second if start.get("attempt") == 2]
    assert [(one["resume_from"], one["consumed_seconds"], one["budget_seconds"]) for one in resumed] == [
        (1, 100.0, 3500.0)
    ] * 2


def test_a_cancelled_experiment_ends_and_what_was_collected_is_graded(lab):
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.competition == SECOND)
    lab.submit()
    lab.controller()
    lab.wait(lambda: lab.rows().get((FIRST, 0), {}).get("state") == "Graded", "one run is graded")
    lab.annotate(cancelled="true")
    status = lab.wait_for_phase("Degraded")
    assert {row["competition"]: row.get("reason") for row in status["results"]} == {FIRST: None, SECOND: "Cancelled"}
    lab.wait(lambda: not lab.player.lives, "the agent was told to go")


def test_a_person_can_have_a_run_tried_again(lab):
    lab.player.script = lambda cast: Script(collects=cast.competition == FIRST or cast.attempt > 1, exit_code=0)
    lab.stores.public.write(f"datasets/v1/{SECOND}/manifest.json", b"{}")
    lab.stores.private.write(f"answers/v1/{SECOND}/manifest.json", b"{}")
    lab.submit(retries={"infrastructure": 0})
    lab.controller()
    status = lab.wait_for_phase("Degraded")
    assert {row["competition"]: row.get("reason") for row in status["results"]} == {FIRST: None, SECOND: "FilesLost"}
    first_report = status["finishedAt"]

    lab.player.script = lambda cast: Script()
    lab.annotate(retry=json.dumps({f"{SECOND}/0": 1}))
    status = lab.wait_for_phase("Succeeded")
    assert lab.rows()[(SECOND, 0)]["attempt"] == 2
    assert attempts_of(lab) == [(FIRST, 0, 1), (SECOND, 0, 1), (SECOND, 0, 2)]
    assert status["finishedAt"] > first_report


def test_parallelism_can_be_changed_while_it_runs(lab):
    lab.player.script = agents_run_forever
    lab.submit(seeds=2, parallelism=1)
    lab.controller()
    lab.wait(lambda: len(attempts_of(lab)) == 1, "one agent runs")
    lab.change({"spec": {"parallelism": 3}})
    lab.wait(lambda: len(attempts_of(lab)) == 3, "three agents run")
    assert lab.wait(lambda: lab.status()["runs"]["running"] == 3, "the status says so")
    assert len(lab.jobs("agent")) == 3


def test_deleting_an_experiment_leaves_its_results_and_no_job(lab):
    lab.player.script = lambda cast: Script(forever=cast.competition == SECOND and cast.role is not Role.PREPARE)
    experiment = lab.submit()
    lab.controller()
    lab.wait(lambda: lab.rows().get((FIRST, 0), {}).get("state") == "Graded", "one run is graded")
    assert lab.jobs("agent")
    assert lab.jobs("grade")
    lab.api.delete(EXPERIMENTS, lab.agents, "trial")
    lab.wait(lambda: not lab.jobs() and not lab.player.lives, "no Job is left in either namespace")
    assert lab.stores.runs.read(lab.keys(experiment).run_report(FIRST, 0)) is not None


def test_results_go_too_when_that_was_asked_for(lab):
    experiment = lab.submit()
    lab.controller()
    lab.wait_for_phase("Succeeded")
    asked = {"finalizers": [labels.RESULTS_FINALIZER], "annotations": {labels.DELETE_RESULTS: "true"}}
    lab.change({"metadata": asked})
    lab.api.delete(EXPERIMENTS, lab.agents, "trial")
    lab.wait(lambda: lab.experiment() is None, "it is gone")
    assert list(lab.stores.runs.keys(f"{lab.keys(experiment).prefix}/")) == []
    lab.wait(lambda: not lab.jobs(), "no Job is left")


def test_jobs_of_an_experiment_that_went_while_no_controller_was_there_are_swept(lab):
    lab.player.script = lambda cast: Script(forever=True)
    lab.submit()
    lab.controller()
    lab.wait(lambda: len(lab.jobs("prepare")) == 2, "datasets are being prepared")
    lab.controllers[-1].kill()
    lab.api.delete(EXPERIMENTS, lab.agents, "trial")
    lab.controller()
    lab.wait(lambda: not lab.jobs(), "no Job is left")


def test_two_experiments_of_the_same_name_do_not_mix(lab):
    first = lab.submit()
    lab.controller()
    lab.wait_for_phase("Succeeded")
    lab.api.delete(EXPERIMENTS, lab.agents, "trial")
    lab.wait(lambda: lab.experiment() is None, "it is gone")
    second = lab.submit(competitions={"ids": [FIRST]})
    status = lab.wait_for_phase("Succeeded")
    assert [(row["competition"], row["attempt"]) for row in status["results"]] == [(FIRST, 1)]
    assert attempts_of(lab) == [(FIRST, 0, 1), (FIRST, 0, 1), (SECOND, 0, 1)]
    reports = [list(lab.stores.runs.keys(lab.keys(one).reports)) for one in (first, second)]
    assert [len(found) for found in reports] == [2, 1]
