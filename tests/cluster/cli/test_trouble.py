"""What goes wrong with a cluster is told in a sentence that says what to do."""

import json

import pytest

from orchestrator.cluster.local.experiments import ExperimentFolder
from tests.cli.conftest import experiment
from tests.cluster.cli.played import write_file, write_kubeconfig


def test_an_api_server_that_does_not_answer(mlectl, played, tmp_path, control_plane, monkeypatch):
    config = write_kubeconfig(tmp_path / "config", control_plane, server="https://127.0.0.1:9")
    answer = mlectl("status", "aide-lite", "--kubeconfig", config)
    assert answer.code == 3
    assert answer.err.startswith("mlectl: The cluster other can't be reached: https://127.0.0.1:9 does not answer")
    assert "or choose another with --context" in answer.err


def test_what_is_here_is_shown_without_a_cluster(mlectl, home, tmp_path, control_plane, monkeypatch):
    config = write_kubeconfig(tmp_path / "config", control_plane, server="https://127.0.0.1:9")
    monkeypatch.setenv("KUBECONFIG", str(config))
    ExperimentFolder(home.experiments).submit(experiment("here"))
    assert mlectl("status", "here").code == 0
    answer = mlectl("status")
    assert (answer.code, "here" in answer.out) == (0, True)
    assert "The cluster other can't be reached" in answer.err


@pytest.mark.parametrize(
    "arguments, right",
    [
        (["status", "aide-lite"], "get experimentruns.mlectl.dev"),
        (["status"], "list experimentruns.mlectl.dev"),
    ],
)
def test_a_right_that_is_missing_is_named(mlectl, played, kubectl, tmp_path, control_plane, arguments, right):
    token = kubectl("create", "token", "default", "-n", played.namespace).strip()
    config = write_kubeconfig(tmp_path / "config", control_plane, token=token, namespace=played.namespace)
    answer = mlectl(*arguments, "--kubeconfig", config)
    assert answer.code == 3
    assert f"You may not {right} in namespace {played.namespace}" in answer.err
    assert f"kubectl auth can-i {right} -n {played.namespace}" in answer.err


def test_the_doctor_looks_at_the_cluster_too(mlectl, home, tmp_path, control_plane, monkeypatch):
    def found():
        checks = {check["name"]: check for check in json.loads(mlectl("doctor", "-o", "json").out)}
        return checks["cluster"]["verdict"], checks["cluster"]["found"]

    assert found() == ("ok", "context rig, namespace default: knows ExperimentRuns")
    config = write_kubeconfig(tmp_path / "config", control_plane, server="https://127.0.0.1:9")
    monkeypatch.setenv("KUBECONFIG", str(config))
    verdict, words = found()
    assert verdict == "warning"
    assert "can't be reached" in words


def test_credentials_that_are_refused(mlectl, played, tmp_path, control_plane):
    config = write_kubeconfig(tmp_path / "config", control_plane, token="nonsense")
    answer = mlectl("status", "aide-lite", "--kubeconfig", config)
    assert (answer.code, "does not accept your credentials" in answer.err) == (3, True)


def test_a_cluster_without_the_definition(mlectl, home, spare_control_plane, tmp_path):
    config = spare_control_plane.kubeconfig
    spare_control_plane.kubectl("delete", "crd", "experimentruns.mlectl.dev", "--ignore-not-found")
    answers = [
        mlectl("status", "--kubeconfig", config),
        mlectl("status", "aide-lite", "--kubeconfig", config),
        mlectl("submit", write_file(tmp_path / "a.yaml"), "--kubeconfig", config),
    ]
    for answer in answers:
        assert answer.code == 3
        assert "does not know ExperimentRuns yet. Install the definition with: kubectl apply" in answer.err
