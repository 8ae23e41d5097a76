"""A controller on a real control plane; a player stands in for what containers do."""

import json
import operator
import re
import shutil
import subprocess
from contextlib import ExitStack
from dataclasses import replace

import pytest
import yaml

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import EVENTS, EXPERIMENTS, LEASES, NETWORK_POLICIES, PODS, Kind
from orchestrator.controller.serve import LEASE
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS, Lab
from tests.cluster.played_nodes import LABEL, NODES
from tests.cluster.played_queue import PlayedQueue
from tests.cluster.player import Script

FIRST, SECOND = COMPETITIONS


@pytest.fixture
def lab(control_plane, tmp_path, namespaces):
    with ExitStack() as stack:
        yield Lab.open(control_plane, tmp_path, namespaces, stack, node_count=2)


def attempts_of(lab, role=Role.AGENT):
    return sorted((cast.competition, cast.seed, cast.attempt) for cast in lab.player.played if cast.role is role)


def counter(metrics, pattern):
    return sum(float(value) for value in re.findall(rf"^{pattern} (\S+)$", metrics, re.MULTILINE))


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
        return counter(metrics, patches), counter(metrics, "mlectl_reconcile_seconds_count")

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


def test_an_experiment_that_cannot_be_run_says_why(lab):
    lab.submit(competitions={"ids": ["demo-wien"]})
    lab.controller()
    status = lab.wait_for_phase("Failed")
    complete = next(one for one in status["conditions"] if one["type"] == "Complete")
    assert complete["reason"] == "SpecRefused"
    assert "demo-wine" in complete["message"]
    assert not lab.jobs()


def test_an_experiment_beside_the_controller_is_refused_where_all_other_namespaces_are_served(
    spare_control_plane, tmp_path
):
    """On a control plane of its own: this controller would serve other tests' experiments too."""
    with ExitStack() as stack:
        lab = Lab.open(
            spare_control_plane,
            tmp_path,
            lambda **options: stack.enter_context(spare_control_plane.namespace(**options)),
            stack,
        )
        lab.config.write_text(yaml.safe_dump({**yaml.safe_load(lab.config.read_text()), "watch": []}))
        beside = replace(lab, agents=lab.system)
        beside.submit()
        lab.submit()
        lab.controller()
        complete = next(one for one in beside.wait_for_phase("Failed")["conditions"] if one["type"] == "Complete")
        assert complete["reason"] == "SpecRefused"
        assert complete["message"].startswith(f"{lab.system} is the controller's own namespace")
        lab.wait_for_phase("Succeeded")
        assert {job["metadata"]["namespace"] for job in lab.jobs("agent")} == {lab.agents}


def test_a_job_that_the_api_server_refuses_is_told_and_holds_nobody_else_up(lab):
    """Its toleration has a key that only the API server knows to be wrong."""
    bad = [{"key": "a key with blanks", "operator": "Exists", "effect": "NoSchedule"}]
    for name in COMPETITIONS:
        lab.stores.public.write(f"datasets/v1/{name}/manifest.json", b"{}")
        lab.stores.private.write(f"answers/v1/{name}/manifest.json", b"{}")
    lab.submit("wrong", placement={"tolerations": bad})
    lab.submit("right")
    controller = lab.controller()
    lab.wait_for_phase("Succeeded", name="right")
    told = lab.wait(
        lambda: [
            event["message"]
            for event in lab.api.list(EVENTS, lab.agents).items
            if event["reason"] == "FailedCreate" and event["involvedObject"]["name"] == "wrong"
        ],
        "an event says why",
    )
    assert "a key with blanks" in told[0]
    assert "a key with blanks" in why_it_waits(lab, "wrong")
    errors = r'mlectl_reconcile_errors_total\{cause="api"\}'
    lab.wait(lambda: counter(controller.get("/metrics"), errors) > 0, "it is counted")


def why_it_waits(lab, name="trial"):
    conditions = {one["type"]: one for one in lab.status(name).get("conditions", ())}
    refused = conditions.get("Progressing", {}).get("reason") == "JobsRefused"
    return conditions["Progressing"]["message"] if refused else ""


QUOTA = Kind("", "v1", "resourcequotas", "ResourceQuota")


def test_a_quota_of_jobs_that_is_smaller_than_the_runs_slows_an_experiment_down_and_the_status_says_so(lab):
    """Ended Jobs count until they are removed, so some have to go before others can come."""
    quota = {"metadata": {"name": "few"}, "spec": {"hard": {"count/jobs.batch": "2"}}}
    lab.api.create(QUOTA, lab.agents, {"apiVersion": "v1", "kind": "ResourceQuota", **quota})
    lab.wait(lambda: (lab.api.get(QUOTA, lab.agents, "few") or {}).get("status", {}).get("hard"), "the quota holds")
    lab.submit(seeds=3, ttlAfterFinished="1h")
    controller = lab.controller()
    lab.wait(lambda: "2 graded" in why_it_waits(lab), "what fits is graded, and the status says so")
    told = why_it_waits(lab)
    assert told.startswith("6 runs: 4 queued, 2 graded. 4 Jobs were refused: ")
    assert "exceeded quota: few, requested: count/jobs.batch=1" in told
    assert "spec.ttlAfterFinished" in told
    assert "FailedCreate" in {event["reason"] for event in lab.api.list(EVENTS, lab.agents).items}

    def refusals():
        return counter(
            controller.get("/metrics"), r'mlectl_api_requests_total\{code="403",resource="jobs",verb="create"\}'
        )

    before = refusals()
    lab.wait(lambda: refusals() > before, "it is tried again by itself")
    lab.change({"spec": {"ttlAfterFinished": "1s"}})
    lab.wait_for_phase("Succeeded")
    assert not why_it_waits(lab)
    assert attempts_of(lab) == [(one, seed, 1) for one in (FIRST, SECOND) for seed in (0, 1, 2)]
    assert len(lab.player.reports) == 6


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
    lab.wait(lambda: counter(controller.get("/metrics"), looked) >= 2, "another controller has looked at it")
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


@pytest.fixture
def queue(lab):
    """Without any room at first."""
    with PlayedQueue(lab.api, lab.agents, "team", room=0) as played:
        yield played


def in_queue(lab, **spec):
    """An experiment of one run."""
    return lab.submit(competitions={"ids": [FIRST]}, placement={**lab.nodes.placement, "queue": "team"}, **spec)


def job_of_attempt(lab, number):
    found = [one for one in lab.jobs("agent") if one["metadata"]["labels"][labels.ATTEMPT] == str(number)]
    return found[0] if found else None


def test_a_queue_lets_jobs_go_and_takes_them_back(lab, queue):
    """Jobs wait suspended, are let go, and one is taken back while its agent runs."""
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and cast.attempt == 2)
    experiment = in_queue(lab)
    lab.controller()
    lab.wait(
        lambda: [
            one
            for job in lab.jobs("agent")
            for one in job["status"].get("conditions", ())
            if one["type"] == "Suspended"
        ],
        "the Job waits, and the Job controller has nothing more to say of it",
    )
    lab.wait(lambda: lab.status().get("phase") == "Running", "the status says so")

    lab.change({"spec": {"suspend": True}})
    outcomes = [lab.keys(experiment).attempt(FIRST, 0, number).outcome for number in (1, 2)]
    stopped = json.loads(
        lab.wait(lambda: lab.stores.runs.read(outcomes[0]), "the one that waited is stopped at once", 60)
    )
    assert (stopped["reason"], stopped["counts"]) == ("Suspended", False)
    lab.wait(lambda: job_of_attempt(lab, 1) is None, "the queue can't let it go any more")
    queue.room = 1
    lab.change({"spec": {"suspend": False}})

    lab.wait(lambda: attempts_of(lab) == [(FIRST, 0, 2)], "the agent runs")
    queue.take_back(job_of_attempt(lab, 2))
    taken_back = json.loads(lab.wait(lambda: lab.stores.runs.read(outcomes[1]), "it is judged"))
    assert (taken_back["reason"], taken_back["verdict"]) == ("Disrupted", "retry")
    lab.wait_for_phase("Succeeded")
    assert attempts_of(lab) == [(FIRST, 0, 2), (FIRST, 0, 3)]


def test_a_suspended_agent_of_a_queue_gives_its_room_back_and_goes_on_later(lab, queue):
    queue.room = 1
    lab.player.script = lambda cast: Script(
        forever=cast.role is Role.AGENT and cast.attempt == 1, says_seconds=100.0 * cast.attempt
    )
    experiment = in_queue(lab, agent={"name": "played", "image": "played:1", "resume": True})
    lab.controller()
    lab.wait(lambda: attempts_of(lab) == [(FIRST, 0, 1)], "the agent runs")
    lab.change({"spec": {"suspend": True}})
    outcome = lab.keys(experiment).attempt(FIRST, 0, 1).outcome
    judged = json.loads(lab.wait(lambda: lab.stores.runs.read(outcome), "it is judged"))
    assert (judged["reason"], judged["verdict"], judged["counts"]) == ("Suspended", "retry", False)
    lab.wait(lambda: not queue.admitted, "the queue has its room back")
    looks = queue.looks
    lab.wait(lambda: queue.looks > looks + 5, "the queue has looked again")
    assert not lab.api.list(PODS, lab.agents, f"{labels.ROLE}=agent").items, "and lets nothing go"

    lab.change({"spec": {"suspend": False}})
    lab.wait_for_phase("Succeeded")
    assert attempts_of(lab) == [(FIRST, 0, 1), (FIRST, 0, 2)]
    second = json.loads(job_of_attempt(lab, 2)["metadata"]["annotations"][labels.START])
    assert (second["resume_from"], second["consumed_seconds"], second["budget_seconds"]) == (1, 100.0, 3500.0)


def test_a_cancelled_agent_of_a_queue_gives_its_room_to_another(lab, queue):
    queue.room = 1
    lab.player.script = lambda cast: Script(forever=cast.role is Role.AGENT and len(attempts_of(lab)) == 0)
    in_queue(lab)
    lab.controller()
    lab.wait(lambda: attempts_of(lab) == [(FIRST, 0, 1)], "the agent runs")
    lab.submit(
        "other", competitions={"ids": [FIRST]}, placement={**lab.nodes.placement, "queue": "team"}, parallelism=1
    )
    lab.wait(lambda: len(lab.jobs("agent")) == 2, "another one waits")
    lab.annotate(cancelled="true")
    assert [row["reason"] for row in lab.wait_for_phase("Failed")["results"]] == ["Cancelled"]
    lab.wait_for_phase("Succeeded", name="other")
    assert len(attempts_of(lab)) == 2
