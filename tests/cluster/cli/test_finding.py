"""Which place a name is looked for in: flags, this machine, the cluster of the kubeconfig."""

import pytest

from orchestrator.cluster.local.experiments import ExperimentFolder
from tests.cli.conftest import experiment
from tests.cluster.cli.played import RUNNING, Played, write_kubeconfig


@pytest.fixture
def both(played, home):
    """One of the same name here and in the namespace."""
    played.create(status=RUNNING)
    wanted = experiment()
    moved = wanted.metadata.model_copy(update={"namespace": played.namespace})
    ExperimentFolder(home.experiments).submit(wanted.model_copy(update={"metadata": moved}))
    return f"{played.namespace}/aide-lite"


def test_without_flags_the_cluster_is_looked_at_when_the_name_is_not_here(mlectl, played):
    played.create(status=RUNNING)
    answer = mlectl("status", f"{played.namespace}/aide-lite")
    assert answer.code == 0
    assert answer.out.startswith(f"{played.namespace}/aide-lite   Running   seed 2 of 3   2 graded · 1 running")


def test_the_context_has_a_namespace(mlectl, played, tmp_path, control_plane):
    played.create()
    config = write_kubeconfig(tmp_path / "config", control_plane, namespace=played.namespace)
    assert mlectl("status", "aide-lite", "--kubeconfig", config).code == 0
    assert mlectl("status", "aide-lite", "--kubeconfig", config, "--context", "other").code == 0
    answer = mlectl("status", "aide-lite", "--kubeconfig", config, "--context", "nope")
    assert (answer.code, "has no context 'nope': there are other" in answer.err) == (3, True)


def test_a_name_in_both_places_is_not_guessed_at(mlectl, both, played):
    answer = mlectl("status", both)
    assert answer.code == 2
    assert answer.err == (
        f"mlectl: {both} is on this machine and on the cluster rig too; "
        f"say which one you mean: --local, or -n {played.namespace}.\n"
    )
    assert "Pending" in mlectl("status", both, "--local").out
    assert "Running" in mlectl("status", "aide-lite", "-n", played.namespace).out


def test_without_a_name_both_places_are_listed(mlectl, played, home, tmp_path, control_plane, monkeypatch):
    monkeypatch.setenv("KUBECONFIG", str(write_kubeconfig(tmp_path / "c", control_plane, namespace=played.namespace)))
    played.create("there", status=RUNNING)
    ExperimentFolder(home.experiments).submit(experiment("here"))
    lines = mlectl("status").out.splitlines()
    assert lines[0].split()[-1] == "WHERE"
    assert lines[1].startswith("here ")
    assert lines[1].endswith("this machine")
    assert lines[2].split()[:6] == [f"{played.namespace}/there", "Running", "2/6", "1", "3", "36.4"]
    assert lines[2].endswith("other")
    assert "WHERE" not in mlectl("status", "--local").out
    assert len(mlectl("status", "-n", played.namespace).out.splitlines()) == 2


def test_a_mistyped_name_gets_its_nearest(in_namespace, played):
    played.create()
    answer = in_namespace("status", "aide-light")
    assert answer.code == 2
    assert f"in namespace {played.namespace} of the cluster rig. Did you mean aide-lite?" in answer.err


def test_a_tab_offers_the_names_of_a_namespace(played):
    from click.shell_completion import ShellComplete

    from orchestrator.cli.main import cli

    played.create("aide-lite")
    complete = ShellComplete(cli, {}, "mlectl", "_MLECTL_COMPLETE")
    offered = complete.get_completions(["status", "-n", played.namespace], played.namespace)
    assert [one.value for one in offered] == [f"{played.namespace}/aide-lite"]


def test_two_namespaces_do_not_see_each_other(mlectl, api, home, namespaces):
    first, second = Played(api, namespaces()), Played(api, namespaces())
    first.create()
    assert mlectl("status", "aide-lite", "-n", first.namespace).code == 0
    answer = mlectl("status", "aide-lite", "-n", second.namespace)
    assert answer.code == 2
    assert "There is no experiment in namespace" in answer.err


def test_flags_that_contradict_each_other(mlectl, played):
    answer = mlectl("status", "--local", "-n", played.namespace)
    assert answer.code == 2
    assert "choose one" in answer.err


def test_what_nobody_can_find_says_where_it_was_looked_for(mlectl, home):
    answer = mlectl("status", "nowhere/at-all")
    assert answer.code == 2
    assert f"There is no experiment in {home.root} or namespace nowhere of the cluster rig yet." in answer.err
