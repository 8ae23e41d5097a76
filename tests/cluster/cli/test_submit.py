"""`mlectl submit`: an experiment is created once, as it was written."""

import json

from orchestrator.cluster.kubernetes.kinds import EXPERIMENTS
from tests.cluster.cli.played import write_file


def test_an_experiment_is_created_with_what_was_written(in_namespace, played, tmp_path):
    answer = in_namespace("submit", write_file(tmp_path / "a.yaml", seeds=2))
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == (
        f"{played.namespace}/aide-lite submitted to rig, namespace {played.namespace}   "
        "22 competitions × 2 seeds\n"
        "setting: 2 seeds (published: 3 or more)\n"
        f"next: mlectl status {played.namespace}/aide-lite --watch\n"
    )
    found = played.object()
    assert (found["spec"]["seeds"], found["spec"]["budget"]["wallClock"]) == (2, "24h")
    (writer,) = found["metadata"]["managedFields"]
    assert "f:seeds" in writer["fieldsV1"]["f:spec"]


def test_submitting_it_again_says_so_and_changes_nothing(in_namespace, played, tmp_path):
    path = write_file(tmp_path / "a.yaml")
    in_namespace("submit", path)
    before = played.object()
    answer = in_namespace("submit", path)
    assert answer.code == 0
    assert "with this very spec; nothing was changed" in answer.out
    assert played.object() == before


def test_another_spec_of_that_name_is_refused(in_namespace, played, tmp_path):
    in_namespace("submit", write_file(tmp_path / "a.yaml"))
    answer = in_namespace("submit", write_file(tmp_path / "b.yaml", seeds=5, parallelism=1))
    assert answer.code == 2
    assert "with another spec: spec.seeds, spec.parallelism. Submit it under another name" in answer.err
    assert played.object()["spec"]["seeds"] == 3


def test_a_change_that_is_allowed_is_left_to_kubectl(in_namespace, played, tmp_path):
    in_namespace("submit", write_file(tmp_path / "a.yaml"))
    answer = in_namespace("submit", write_file(tmp_path / "b.yaml", parallelism=1))
    assert answer.code == 2
    assert "with another spec: spec.parallelism. These may change while it runs: kubectl apply" in answer.err


def test_one_that_is_being_deleted_has_to_be_gone_first(in_namespace, played, tmp_path):
    path = write_file(tmp_path / "a.yaml")
    in_namespace("submit", path)
    in_namespace("delete", "aide-lite", "--results")
    answer = in_namespace("submit", path)
    assert answer.code == 1
    assert "is being deleted just now; submit this one when it is gone" in answer.err
    played.api.patch(EXPERIMENTS, played.namespace, "aide-lite", {"metadata": {"finalizers": None}})
    assert "submitted to rig" in in_namespace("submit", path).out


def test_an_unknown_competition_is_refused_before_anything_is_sent(in_namespace, played, tmp_path):
    answer = in_namespace("submit", write_file(tmp_path / "a.yaml", competitions={"ids": ["spaceship-titanc"]}))
    assert answer.code == 2
    assert "no competition 'spaceship-titanc'; did you mean spaceship-titanic?" in answer.err
    assert played.api.list(EXPERIMENTS, played.namespace).items == []


def test_the_namespace_of_the_file_counts(mlectl, played, tmp_path):
    path = write_file(tmp_path / "a.yaml", namespace=played.namespace)
    assert mlectl("submit", path).code == 0
    assert played.object()
    answer = mlectl("submit", path, "-n", "other")
    assert answer.code == 2
    assert f"The file says namespace {played.namespace} and -n says other" in answer.err


def test_a_namespace_that_is_not_there(mlectl, home, tmp_path):
    answer = mlectl("submit", write_file(tmp_path / "a.yaml"), "-n", "nowhere")
    assert answer.code == 2
    assert "The cluster rig has no namespace nowhere" in answer.err


def test_the_object_for_programs(in_namespace, tmp_path):
    made = json.loads(in_namespace("submit", write_file(tmp_path / "a.yaml"), "-o", "json").out)
    assert (made["kind"], made["metadata"]["name"]) == ("ExperimentRun", "aide-lite")
