"""Suspend, resume, cancel, retry, delete: what the controller reads afterwards."""

import json

import pytest

from orchestrator.cli.exits import Trouble
from orchestrator.cli.there import There
from orchestrator.cli.where import Where
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS
from orchestrator.cluster.kubernetes.labels import CANCELLED, DELETE_RESULTS, RESULTS_FINALIZER, RETRY, RETRY_AT
from tests.cluster.cli.played import RUNNING, row


def test_suspend_and_resume(in_namespace, played):
    played.create(status=RUNNING)
    assert "mlectl resume" in in_namespace("suspend", "aide-lite").out
    assert played.object()["spec"]["suspend"] is True
    assert "is suspended already" in in_namespace("suspend", "aide-lite").out
    assert in_namespace("resume", "aide-lite").out.endswith("goes on.\n")
    assert played.object()["spec"]["suspend"] is False
    assert "is not suspended" in in_namespace("resume", "aide-lite").out


@pytest.mark.parametrize("verb", ["cancel", "suspend"])
def test_another_experiment_that_took_the_name_is_left_alone(played, control_plane, verb):
    there = There.connect(Where(kubeconfig=control_plane.kubeconfig))
    old = played.create(status=RUNNING)
    played.api.delete(EXPERIMENTS, played.namespace, "aide-lite")
    with pytest.raises(Trouble, match="was deleted meanwhile"):
        getattr(there, verb)(old)
    played.create(status=RUNNING)
    before = played.object()
    with pytest.raises(Trouble, match="was deleted meanwhile"):
        getattr(there, verb)(old)
    assert played.object() == before


def test_cancel(in_namespace, played):
    played.create(status=RUNNING)
    assert in_namespace("cancel", "aide-lite").code == 0
    assert played.annotations() == {CANCELLED: "true"}


@pytest.mark.parametrize("verb", ["cancel", "suspend", "resume"])
def test_a_finished_experiment_is_left_alone(in_namespace, played, verb):
    played.create(status={"phase": "Succeeded"})
    before = played.object()
    answer = in_namespace(verb, "aide-lite")
    assert answer.code == 2
    assert f"has finished (Succeeded): there is nothing to {verb}" in answer.err
    assert played.object() == before


@pytest.mark.parametrize(
    "arguments, want",
    [
        pytest.param([], {"AI4Code/0": 1, "AI4Code/1": 4, "AI4Code/2": 0}, id="all that failed"),
        pytest.param(["AI4Code", "1"], {"AI4Code/1": 4}, id="one run"),
        pytest.param(["--reason", "imagepull"], {"AI4Code/0": 1}, id="a class of failures"),
        pytest.param(["--fault", "infrastructure"], {"AI4Code/0": 1, "AI4Code/1": 4}, id="by whose fault it was"),
    ],
)
def test_retry_names_the_runs_and_their_last_attempts(in_namespace, played, arguments, want):
    played.create(status=RUNNING)
    answer = in_namespace("retry", "aide-lite", *arguments)
    assert answer.code == 0
    assert answer.out.startswith(f"{len(want)} run")
    assert json.loads(played.annotations()[RETRY]) == want
    assert played.annotations()[RETRY_AT].endswith("Z")


def test_a_second_retry_keeps_the_first(in_namespace, played):
    played.create(status=RUNNING)
    in_namespace("retry", "aide-lite", "AI4Code", "0")
    in_namespace("retry", "aide-lite", "AI4Code", "1")
    assert json.loads(played.annotations()[RETRY]) == {"AI4Code/0": 1, "AI4Code/1": 4}


ZERO = row("random-acts-of-pizza", 0, "Failed", reason="InvalidSubmission", valid=False)


@pytest.mark.parametrize(
    "chosen", [["--reason", "InvalidSubmission"], ["--fault", "agent"], [ZERO["competition"], "0"]]
)
def test_an_agents_zero_is_replaced_only_if_it_is_named(in_namespace, played, chosen):
    played.create(status={**RUNNING, "results": [*RUNNING["results"], ZERO]})
    in_namespace("retry", "aide-lite")
    assert "random-acts-of-pizza/0" not in json.loads(played.annotations()[RETRY])
    in_namespace("retry", "aide-lite", *chosen)
    assert json.loads(played.annotations()[RETRY])["random-acts-of-pizza/0"] == 1


def test_zeros_alone_are_nothing_to_try_again(in_namespace, played):
    played.create(status={**RUNNING, "results": [ZERO]})
    answer = in_namespace("retry", "aide-lite")
    assert answer.code == 2
    assert "has no failed run without a result" in answer.err
    assert played.annotations() == {}


def test_a_cancellation_is_taken_back_for_all_runs_that_it_left_out(in_namespace, played):
    played.create(status={**RUNNING, "phase": "Failed", "results": [*RUNNING["results"][1:], ZERO]})
    played.api.patch(EXPERIMENTS, played.namespace, "aide-lite", {"metadata": {"annotations": {CANCELLED: "true"}}})

    answer = in_namespace("retry", "aide-lite", "AI4Code", "0")
    assert answer.code == 2
    assert "only all 3 runs that it left out can be tried again" in answer.err
    assert played.annotations() == {CANCELLED: "true"}

    assert in_namespace("retry", "aide-lite").out.startswith("3 runs ")
    assert json.loads(played.annotations()[RETRY]) == {"AI4Code/0": 1, "AI4Code/1": 4, "AI4Code/2": 0}
    assert CANCELLED not in played.annotations()


def test_what_is_being_cancelled_is_not_tried_again_meanwhile(in_namespace, played):
    played.create(status=RUNNING)
    in_namespace("cancel", "aide-lite")
    answer = in_namespace("retry", "aide-lite")
    assert answer.code == 2
    assert "is being cancelled; once it has ended" in answer.err
    assert played.annotations() == {CANCELLED: "true"}


def test_two_who_ask_at_the_same_time_are_both_heard(in_namespace, played, monkeypatch):
    played.create(status=RUNNING)
    patch = Api.patch
    others = iter([{"AI4Code/0": 1}, {"AI4Code/0": 1, "AI4Code/2": 0}])

    def somebody_else_first(api, kind, namespace, name, change, **more):
        if wishes := next(others, None):
            patch(api, kind, namespace, name, {"metadata": {"annotations": {RETRY: json.dumps(wishes)}}})
        return patch(api, kind, namespace, name, change, **more)

    monkeypatch.setattr(Api, "patch", somebody_else_first)
    assert in_namespace("retry", "aide-lite", "AI4Code", "1").code == 0
    assert json.loads(played.annotations()[RETRY]) == {"AI4Code/0": 1, "AI4Code/1": 4, "AI4Code/2": 0}


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["leaf-classification", "0"], "leaf-classification, seed 0 has a result, and a result is never replaced"),
        (["leaf-classification", "1"], "leaf-classification, seed 1 is Running: it has not failed"),
        (["leaf-classificaton", "1"], "Did you mean leaf-classification?"),
        (["AI4Code"], "by its competition and its seed"),
        (["--reason", "NodeLos"], "There is no reason 'NodeLos'. Did you mean NodeLost?"),
        (["--reason", "OOMKilled"], "has no failed run with reason OOMKilled"),
    ],
)
def test_what_cannot_be_tried_again(in_namespace, played, arguments, words):
    played.create(status=RUNNING)
    answer = in_namespace("retry", "aide-lite", *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert played.annotations() == {}


def test_delete_keeps_the_results(in_namespace, played):
    played.create(status=RUNNING)
    assert "its results stay in the store" in in_namespace("delete", "aide-lite").out
    assert played.api.get(EXPERIMENTS, played.namespace, "aide-lite") is None


def test_results_are_deleted_by_the_controller_before_the_experiment_goes(in_namespace, played):
    played.create(status=RUNNING)
    assert in_namespace("delete", "aide-lite", "--results").code == 0
    left = played.object()["metadata"]
    assert left["deletionTimestamp"]
    assert left["finalizers"] == [RESULTS_FINALIZER]
    assert left["annotations"] == {DELETE_RESULTS: "true"}
    assert "it is being deleted, its results first" in in_namespace("status", "aide-lite").out
    change = {"metadata": {"finalizers": None}}
    played.api.patch(EXPERIMENTS, played.namespace, "aide-lite", change)
