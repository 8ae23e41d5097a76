"""mlectl with a home of its own and a namespace of the rig, in which the test plays the controller."""

import pytest

from orchestrator.cli.main import run as run_mlectl
from orchestrator.cluster.kubernetes.api import Api
from orchestrator.cluster.local.home import Home
from tests.cli.conftest import Answer
from tests.cluster import crd
from tests.cluster.cli.played import Played


@pytest.fixture(scope="session")
def api(control_plane):
    crd.install(control_plane)
    return Api.connect(control_plane.kubeconfig)


@pytest.fixture
def home(tmp_path, monkeypatch, control_plane):
    """A home without experiments, and the rig as the cluster of the kubeconfig."""
    monkeypatch.setenv("MLECTL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KUBECONFIG", str(control_plane.kubeconfig))
    monkeypatch.delenv("MLECTL_STORE_RUNS", raising=False)
    return Home.find()


@pytest.fixture
def played(api, home, namespace):
    return Played(api, namespace)


@pytest.fixture
def mlectl(capsys, home):
    def call(*arguments):
        capsys.readouterr()
        code = run_mlectl([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Answer(code, printed.out, printed.err)

    return call


@pytest.fixture
def in_namespace(mlectl, played):
    """`in_namespace("status", "aide-lite")`: the command with -n."""
    return lambda *arguments: mlectl(*arguments, "-n", played.namespace)
