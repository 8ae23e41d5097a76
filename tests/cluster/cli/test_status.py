"""How far an experiment of a cluster is."""

import json

import pytest

from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS
from orchestrator.cluster.kubernetes.labels import CANCELLED
from tests.cluster import crd
from tests.cluster.cli.played import RUNNING, Played, start


def test_watching_shows_what_changes_until_the_end(played):
    played.create(status=RUNNING)
    watching = start("status", "aide-lite", "-n", played.namespace, "--watch")
    try:
        assert "2 graded" in watching.stdout.readline()
        played.status(runs={"total": 6, "graded": 3, "running": 0, "failed": 3}, results=[])
        seen = next(line for line in watching.stdout if "graded" in line)
        assert "3 graded" in seen
        played.status(phase="Degraded")
        assert any("Degraded" in line for line in watching.stdout)
        assert watching.wait(30) == 0
    finally:
        watching.kill()
        watching.communicate()


def test_watching_ends_when_the_experiment_is_deleted(played):
    played.create(status=RUNNING)
    watching = start("status", "aide-lite", "-n", played.namespace, "--watch")
    try:
        watching.stdout.readline()
        played.api.delete(EXPERIMENTS, played.namespace, "aide-lite")
        assert watching.wait(30) == 1
        assert "was deleted meanwhile" in watching.stderr.read()
    finally:
        watching.kill()
        watching.communicate()


def test_watching_outlives_an_api_server_that_is_away_for_a_while(home, spare_control_plane):
    crd.install(spare_control_plane)
    played = Played(Api.connect(spare_control_plane.kubeconfig), "default")
    played.create(status=RUNNING)
    watching = start("status", "aide-lite", "--kubeconfig", spare_control_plane.kubeconfig, "--watch")
    try:
        assert "2 graded" in watching.stdout.readline()
        spare_control_plane.stop("kube-apiserver")
        assert any("can't be reached" in line for line in watching.stdout)
        spare_control_plane.start("kube-apiserver")
        played.status(phase="Succeeded")
        assert any("Succeeded" in line for line in watching.stdout)
        assert watching.wait(30) == 0
    finally:
        watching.kill()
        watching.communicate()


def test_failures_are_told_from_the_status_where_the_store_is_out_of_reach(in_namespace, played):
    played.create(status=RUNNING)
    answer = in_namespace("failures", "aide-lite", "--reason", "nodelost")
    assert answer.code == 0
    assert "Messages and earlier attempts are missing here." in answer.err
    assert answer.out.startswith("NodeLost   1 attempt   fault: infrastructure\n")
    assert f"mlectl retry {played.namespace}/aide-lite --reason NodeLost\n" in answer.out
    assert f"mlectl logs {played.namespace}/aide-lite AI4Code 1\n" in answer.out


def test_runs_come_from_the_status(in_namespace, played):
    played.create(status=RUNNING)
    rows = json.loads(in_namespace("runs", "aide-lite", "--state", "failed", "-o", "json").out)
    assert [row["reason"] for row in rows] == ["ImagePull", "NodeLost", "Cancelled"]


@pytest.mark.parametrize(
    "spec, annotations, want",
    [
        ({}, {}, None),
        ({"suspend": True}, {}, "it is suspended"),
        ({}, {CANCELLED: "true"}, "note: it is being cancelled"),
    ],
)
def test_why_nothing_happens(in_namespace, played, spec, annotations, want):
    played.create(status=RUNNING, **spec)
    change = {"metadata": {"annotations": annotations}}
    played.api.patch(EXPERIMENTS, played.namespace, "aide-lite", change)
    out = in_namespace("status", "aide-lite").out
    assert (want in out) if want else ("note:" not in out)


def test_an_experiment_that_no_controller_has_seen(in_namespace, played, monkeypatch):
    from datetime import timedelta

    played.create()
    assert "controller" not in in_namespace("status", "aide-lite").out
    monkeypatch.setattr("orchestrator.cli.there.UNSEEN_FOR", timedelta(0))
    assert "note: no controller has looked at it yet" in in_namespace("status", "aide-lite").out


def test_an_experiment_of_a_newer_version_does_not_hide_the_others(in_namespace, played, monkeypatch):
    played.create("known", status=RUNNING)
    played.create("newer")
    listing = Api.list

    def with_an_unknown_field(api, *arguments, **options):
        found = listing(api, *arguments, **options)
        for item in found.items:
            if item["metadata"]["name"] == "newer":
                item["spec"]["invented"] = 1
        return found

    monkeypatch.setattr(Api, "list", with_an_unknown_field)
    answer = in_namespace("status")
    assert (answer.code, len(answer.out.splitlines())) == (0, 2)
    assert f"{played.namespace}/newer has what this version of mlectl does not know (spec.invented" in answer.err
