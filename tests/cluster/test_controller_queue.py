"""A controller whose agents wait in a queue, as Kueue's do; a test plays the queue."""

import json

import pytest

from orchestrator.cluster.kubernetes import labels
from orchestrator.cluster.kubernetes.kinds import PODS
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS, attempts_of
from tests.cluster.played_queue import PlayedQueue
from tests.cluster.player import Script

FIRST, SECOND = COMPETITIONS


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
