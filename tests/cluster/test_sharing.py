"""A dataset is prepared once for all experiments, on a real control plane; a player stands in for the containers."""

import threading

import pytest
import yaml

from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS
from orchestrator.core.model import Role
from tests.cluster.lab import COMPETITIONS
from tests.cluster.player import Script

FIRST, SECOND = COMPETITIONS


@pytest.fixture
def others(lab, namespaces):
    """Another team's namespace, which the same controller serves."""
    name = namespaces(restricted=True, prefix="f-others")
    settings = yaml.safe_load(lab.config.read_text())
    lab.config.write_text(yaml.safe_dump({**settings, "watch": [lab.agents, name]}))
    return name


def prepares(lab, name, namespace, ids):
    """An experiment without runs: it is there for its datasets."""
    body = {
        "apiVersion": EXPERIMENTS.api_version,
        "kind": EXPERIMENTS.name,
        "metadata": {"name": name},
        "spec": {"competitions": {"ids": ids}, "seeds": 0, "agent": {"name": "none", "image": "none"}},
    }
    return lab.api.create(EXPERIMENTS, namespace, body)


def status_of(lab, namespace, name):
    return (lab.api.get(EXPERIMENTS, namespace, name) or {}).get("status") or {}


def started(lab, role=Role.PREPARE):
    return sorted((cast.competition, cast.attempt) for cast in lab.player.played if cast.role is role)


def names(lab):
    return sorted(job["metadata"]["name"] for job in lab.jobs("prepare"))


def test_two_teams_that_need_a_dataset_at_once_get_one_job_which_outlives_whoever_began_it(lab, others):
    may_go_on = threading.Event()
    lab.player.script = lambda cast: Script(collects=may_go_on.wait(120))
    lab.submit("first")
    lab.controller()
    lab.wait(lambda: len(lab.jobs("prepare")) == 2, "datasets are being prepared")
    made = names(lab)
    prepares(lab, "second", others, COMPETITIONS)

    status = lab.wait(lambda: (found := status_of(lab, others, "second")).get("datasets") and found, "it is seen")
    assert status["phase"] == "Preparing"
    assert [(row["competition"], row["state"], row["shared"]) for row in status["datasets"]] == [
        (FIRST, "Preparing", True),
        (SECOND, "Preparing", True),
    ]
    (ready,) = (one for one in status["conditions"] if one["type"] == "DatasetsReady")
    assert f"another experiment began to prepare: {FIRST}, {SECOND}" in ready["message"]

    lab.controllers[-1].kill()
    lab.api.delete(EXPERIMENTS, lab.agents, "first")
    lab.controller()
    lab.wait(lambda: not status_of(lab, lab.agents, "first"), "the one that began them is gone")
    may_go_on.set()
    lab.wait(lambda: status_of(lab, others, "second").get("phase") == "Succeeded", "the other one has its datasets")
    assert started(lab) == [(FIRST, 1), (SECOND, 1)], "each was prepared once"
    assert names(lab) == made
    assert started(lab, Role.AGENT) == []

    lab.api.delete(EXPERIMENTS, others, "second")
    lab.wait(lambda: not lab.jobs(), "nobody needs them any more, and none is left")


def test_cancelling_one_experiment_stops_only_what_no_other_needs(lab):
    lab.player.script = lambda cast: Script(forever=True)
    lab.submit("first")
    lab.controller()
    lab.wait(lambda: len(lab.jobs("prepare")) == 2, "datasets are being prepared")
    prepares(lab, "second", lab.agents, [SECOND])
    lab.wait(lambda: lab.status("second").get("datasets"), "the other one waits")
    lab.annotate("first", cancelled="true")
    lab.wait_for_phase("Failed", name="first")
    lab.wait(lambda: [life.cast.competition for life in lab.player.lives.values()] == [SECOND], "one is stopped")
    assert lab.status("second")["phase"] == "Preparing"
    lab.annotate("second", cancelled="true")
    lab.wait(lambda: not lab.player.lives, "now nobody needs the other")


def test_a_refusal_is_a_sentence_is_not_repeated_and_does_not_bind_who_comes_later(lab):
    refusal = (
        f"The rules of {FIRST} are not accepted yet: join it at https://kaggle.example/rules, then run this again."
    )
    lab.player.script = lambda cast: Script(exit_code=1, refusal=refusal)
    prepares(lab, "early", lab.agents, [FIRST])
    lab.controller()
    status = lab.wait_for_phase("Failed", name="early")
    assert [(row["state"], row["attempt"], row["message"]) for row in status["datasets"]] == [
        ("Unavailable", 1, refusal)
    ]
    assert started(lab) == [(FIRST, 1)]

    lab.player.script = lambda cast: Script()
    prepares(lab, "late", lab.agents, [FIRST])
    lab.wait_for_phase("Succeeded", name="late")
    assert started(lab) == [(FIRST, 1), (FIRST, 2)]
