"""What can't be run as it is, and what the API server refuses: the status says why, and nothing else waits for it."""

from dataclasses import replace

import yaml

from orchestrator.cluster.kubernetes.kinds import EVENTS, Kind
from tests.cluster.lab import COMPETITIONS, attempts_of, total

FIRST, SECOND = COMPETITIONS


def test_an_experiment_that_cannot_be_run_says_why(lab):
    lab.submit(competitions={"ids": ["demo-wien"]})
    lab.controller()
    status = lab.wait_for_phase("Failed")
    complete = next(one for one in status["conditions"] if one["type"] == "Complete")
    assert complete["reason"] == "SpecRefused"
    assert "demo-wine" in complete["message"]
    assert not lab.jobs()


def test_an_experiment_beside_the_controller_is_refused_where_all_other_namespaces_are_served(spare_lab):
    """On a control plane of its own: this controller would serve other tests' experiments too."""
    lab = spare_lab
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
    lab.wait(lambda: total(controller.get("/metrics"), errors) > 0, "it is counted")


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
        return total(
            controller.get("/metrics"), r'mlectl_api_requests_total\{code="403",resource="jobs",verb="create"\}'
        )

    before = refusals()
    lab.wait(lambda: refusals() > before, "it is tried again by itself")
    lab.change({"spec": {"ttlAfterFinished": "1s"}})
    lab.wait_for_phase("Succeeded")
    assert not why_it_waits(lab)
    assert attempts_of(lab) == [(one, seed, 1) for one in (FIRST, SECOND) for seed in (0, 1, 2)]
    assert len(lab.player.reports) == 6
