"""`mlectl prepare --on-cluster`: an experiment without runs is the wish, and its status the answer."""

import json
import threading
import time
from contextlib import ExitStack

import pytest

from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS
from orchestrator.core.model import Role
from tests.cluster.cli.played import start
from tests.cluster.lab import COMPETITIONS, Lab
from tests.cluster.player import Script

RULES = "The rules of AI4Code are not accepted yet: join it at https://www.kaggle.com/competitions/AI4Code/rules"
GOING = {"competition": "AI4Code", "state": "Preparing", "attempt": 1, "step": "download"}


def made(played):
    """The only experiment of the namespace, once it is there."""
    deadline = time.monotonic() + 60
    while not (found := played.api.list(EXPERIMENTS, played.namespace).items):
        assert time.monotonic() < deadline, "no experiment was made"
        time.sleep(0.05)
    (only,) = found
    return only


def ended(command):
    """Its exit code."""
    command.communicate(timeout=60)
    return command.returncode


@pytest.fixture
def controller(played):
    """Plays statuses, one after the other, to the experiment that the command makes."""
    threads = []

    def play(*statuses):
        def act():
            name = made(played)["metadata"]["name"]
            for status in statuses:
                played.status(name, observedGeneration=1, **status)
                time.sleep(2.0)  # the command looks every second

        threads.append(threading.Thread(target=act))
        threads[-1].start()

    yield play
    for thread in threads:
        thread.join(60)


def test_what_is_prepared_is_told_as_it_goes_and_leaves_nothing(in_namespace, played, controller):
    going = {"phase": "Preparing", "datasets": [{**GOING, "doneBytes": 3_100_000_000, "totalBytes": 12_000_000_000}]}
    controller(going, {"phase": "Succeeded", "datasets": []})
    answer = in_namespace("prepare", "AI4Code", "spaceship-titanic", "--on-cluster", "--benchmark", "v2")
    assert answer.code == 0
    assert "download 3.1 GB of 12.0 GB" in answer.err
    assert "1 of 2 competitions prepared" in answer.err
    assert "2 of 2 competitions prepared" in answer.out
    assert played.api.list(EXPERIMENTS, played.namespace).items == []


def test_a_refusal_is_a_sentence_and_code_1_and_stays_to_be_looked_at(in_namespace, played, controller):
    lost = {"competition": "AI4Code", "state": "Unavailable", "attempt": 1, "message": RULES}
    controller({"phase": "Degraded", "datasets": [lost]})
    answer = in_namespace("prepare", "-c", "AI4Code", "-c", "spaceship-titanic", "--on-cluster", "-o", "json")
    assert answer.code == 1
    assert {one["competition"]: (one["became"], one["message"]) for one in json.loads(answer.out)} == {
        "AI4Code": ("failed", RULES),
        "spaceship-titanic": ("prepared", ""),
    }
    wish = made(played)
    assert (wish["spec"]["seeds"], wish["spec"]["competitions"]["ids"]) == (0, ["AI4Code", "spaceship-titanic"])
    name = wish["metadata"]["name"]
    failures = in_namespace("failures", name)
    assert "DatasetUnavailable" in failures.out
    assert "are not accepted yet" in failures.out
    status = " ".join(in_namespace("status", name).out.split())
    assert f"not prepared: AI4Code: {RULES}" in status


def test_what_stands_in_the_way_of_a_dataset_that_waits_is_shown(in_namespace, played):
    waiting = {"competition": "AI4Code", "state": "Waiting", "message": RULES}
    played.create(
        status={"phase": "Preparing", "datasets": [waiting, {**waiting, "competition": "birds", "message": ""}]}
    )
    status = " ".join(in_namespace("status", "aide-lite").out.split())
    assert f"in the way: AI4Code: {RULES}" in status
    assert "birds" not in status


def test_asking_again_tries_again_and_while_it_goes_on_looks_at_the_same(in_namespace, played, controller):
    arguments = ("prepare", "AI4Code", "--on-cluster", "-n", played.namespace)
    first = start(*arguments)
    uid = made(played)["metadata"]["uid"]
    second = start(*arguments)
    assert second.stderr.readline()  # it is told something, so it looks at an experiment by now
    assert made(played)["metadata"]["uid"] == uid
    controller({"phase": "Failed", "datasets": [{**GOING, "state": "Unavailable", "message": RULES}]})
    assert [ended(first), ended(second)] == [1, 1]
    assert made(played)["metadata"]["uid"] == uid

    third = start(*arguments)
    deadline = time.monotonic() + 60
    while made(played)["metadata"]["uid"] == uid:
        assert time.monotonic() < deadline, "what had failed is not tried again"
        time.sleep(0.1)
    controller({"phase": "Succeeded", "datasets": []})
    assert ended(third) == 0


@pytest.fixture
def lab(control_plane, tmp_path, namespaces):
    with ExitStack() as stack:
        yield Lab.open(control_plane, tmp_path, namespaces, stack)


def test_a_true_controller_carries_the_wish_out_and_prepares_nothing_twice(mlectl, lab):
    """Only the containers are played."""
    lab.player.script = lambda cast: Script(run_seconds=5.0)  # the command looks every second
    lab.controller()
    prepare = ("prepare", *COMPETITIONS, "--on-cluster", "-n", lab.agents)
    answer = mlectl(*prepare)
    assert answer.code == 0, f"{answer.out}{answer.err}{lab.tell()}"
    assert "Preparing" in answer.err
    assert "2 of 2 competitions prepared" in answer.out
    once = [(Role.PREPARE, competition, 1) for competition in COMPETITIONS]
    assert sorted((cast.role, cast.competition, cast.attempt) for cast in lab.player.played) == once
    assert lab.api.list(EXPERIMENTS, lab.agents).items == []
    lab.wait(lambda: not lab.jobs(), "nobody needs the Jobs any more, and none is left")

    assert mlectl(*prepare).code == 0
    assert len(lab.player.played) == len(once)
    assert lab.api.list(EXPERIMENTS, lab.agents).items == []


def test_flags_of_this_machine_and_of_a_cluster_do_not_mix(in_namespace, mlectl, tmp_path):
    assert "leave them out" in mlectl("prepare", "AI4Code", "--on-cluster", "--force").err
    assert "go with --on-cluster" in in_namespace("prepare", "AI4Code").err
    assert in_namespace("prepare", "AI5Code", "--on-cluster").code == 2
