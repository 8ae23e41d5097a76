import json
from datetime import timedelta

import pytest

from orchestrator.api.key import Key
from orchestrator.cli.screens.status import Line, show_list, show_one, show_open_runs
from orchestrator.cli.watch import watch_screen
from orchestrator.cluster.local.experiments import ExperimentFolder
from orchestrator.core.refused import JOBS_REFUSED
from tests.cli.conftest import CREATED, experiment
from tests.kubernetes.server import write_kubeconfig

FIGURE = {"mean": 36.36, "sem": 1.52, "low95": 33.4, "high95": 39.3}


def row(competition, seed, state, **more):
    return {"competition": competition, "seed": seed, "state": state, **more}


RUNNING = experiment(
    status={
        "phase": "Running",
        "runs": {"total": 66, "graded": 41, "running": 22, "failed": 3},
        "summary": {"low": {"completeSeeds": 1, "anyMedalPercent": FIGURE}},
        "results": [
            row("leaf-classification", 1, "Running", attempt=1),
            row("mlsp-2013-birds", 1, "Staging", attempt=2),
            row("random-acts-of-pizza", 2, "Pending"),
            row("AI4Code", 0, "Failed", reason="ImagePull"),
            row("AI4Code", 1, "Failed", reason="ImagePull"),
            row("AI4Code", 2, "Failed", reason="OOMKilled"),
        ],
    }
)
NO_NODE = "No nodes are available: Insufficient nvidia.com/gpu, node(s) had untolerated taint {spot: true}."
WAITING = experiment(
    status={
        "phase": "Running",
        "runs": {"total": 3, "queued": 3},
        "results": [
            *(row("leaf-classification", seed, "Queued", attempt=1, message=NO_NODE) for seed in (0, 1)),
            row("AI4Code", 0, "Queued", attempt=1, message="Its Job has no pod; `kubectl describe job x` says why."),
        ],
    }
)
FINISHED = experiment(
    "demo",
    status={
        "phase": "Succeeded",
        "runs": {"total": 12, "graded": 12},
        "summary": {"demo": {"completeSeeds": 3, "anyMedalPercent": FIGURE}},
        "report": "file:///x/report.json",
    },
    competitions={"split": "demo"},
    budget={"wallClock": "8s"},
)
REFUSED = experiment(
    "refused",
    status={
        "phase": "Failed",
        "conditions": [{"type": "Complete", "status": "True", "reason": "SpecRefused", "message": "No competition x."}],
    },
)
JOBS_ARE_REFUSED = experiment(
    "waiting",
    status={
        "phase": "Running",
        "runs": {"total": 6, "queued": 4, "graded": 2},
        "conditions": [
            {
                "type": "Progressing",
                "status": "True",
                "reason": JOBS_REFUSED,
                "message": "6 runs: 4 queued, 2 graded. 4 Jobs were refused: exceeded quota: few. Raise the quota.",
            }
        ],
    },
)


@pytest.mark.parametrize(
    "name, run, arguments",
    [
        ("status-running", RUNNING, {}),
        ("status-left-alone", RUNNING, {"idle": "next: mlectl run FILE goes on with it; nothing is at work on it now"}),
        ("status-waiting", WAITING, {}),
        ("status-jobs-refused", JOBS_ARE_REFUSED, {}),
        ("status-finished", FINISHED, {}),
        ("status-unprotected", FINISHED, {"unprotected": True}),
        ("status-refused", REFUSED, {}),
        ("status-new", experiment("new"), {}),
    ],
)
def test_an_experiment_as_people_see_it(expect_screen, name, run, arguments):
    expect_screen(name, show_one(run, **arguments))


def test_the_list_as_people_see_it(expect_screen):
    lines = [Line(RUNNING, unprotected=True), Line(FINISHED), Line(REFUSED)]
    expect_screen("status-list", show_list(lines, CREATED + timedelta(hours=5)))


def test_the_list_of_two_places_tells_where_each_is(expect_screen):
    lines = [Line(RUNNING, where="this machine"), Line(FINISHED, where="gpu-cluster")]
    expect_screen("status-places", show_list(lines, CREATED + timedelta(hours=5)))


def test_runs_at_work_as_people_see_them(expect_screen):
    expect_screen("status-open-runs", show_open_runs(RUNNING, 1))


def test_a_home_without_experiments_says_how_to_start_one(mlectl):
    answer = mlectl("status")
    assert (answer.code, answer.out) == (0, "No experiment yet. Start one with: mlectl run FILE\n")


def test_the_status_of_one_experiment_is_shown(mlectl, keep):
    keep(RUNNING)
    answer = mlectl("status", "aide-lite")
    assert answer.code == 0
    assert "41 graded · 22 running · 3 failed" in answer.out
    assert "nothing is at work on it now" in answer.out


def test_data_is_the_object_as_kubernetes_would_have_it(mlectl, keep):
    keep(RUNNING)
    shown = json.loads(mlectl("status", "aide-lite", "-o", "json").out)
    assert (shown["kind"], shown["status"]["anyMedal"]) == ("ExperimentRun", "36.4 ± 1.5")
    assert [run["metadata"]["name"] for run in json.loads(mlectl("status", "-o", "json").out)] == ["aide-lite"]


def test_a_failed_experiment_has_code_1(mlectl, keep):
    keep(REFUSED)
    assert mlectl("status", "refused").code == 1


def test_an_unknown_experiment_gets_its_nearest_name(mlectl, keep):
    keep(RUNNING)
    answer = mlectl("status", "aide-light")
    assert answer.code == 2
    assert "There is no experiment called 'aide-light'" in answer.err
    assert "Did you mean aide-lite?" in answer.err


def test_an_experiment_of_another_namespace_is_found_by_both_names(mlectl, home):
    wanted = experiment()
    other = wanted.model_copy(update={"metadata": wanted.metadata.model_copy(update={"namespace": "team"})})
    ExperimentFolder(home.experiments).submit(other)
    assert mlectl("status", "team/aide-lite").code == 0
    assert mlectl("status", "aide-lite").code == 2


def test_watching_ends_when_the_experiment_does(mlectl, keep):
    keep(FINISHED)
    answer = mlectl("status", "demo", "--watch")
    assert answer.code == 0
    assert answer.out.startswith("demo   Succeeded")


def test_watching_prints_a_screen_when_it_changes(capsys):
    screens = iter([("a", False), ("a", False), ("b", False), ("c", True)])
    watch_screen(lambda _: next(screens), look_seconds=0)
    assert capsys.readouterr().out == "a\nb\nc\n"


def test_watching_is_for_people(mlectl):
    assert mlectl("status", "--watch", "-o", "json").code == 2


def test_an_experiment_that_is_being_run_is_not_called_left_alone(mlectl, keep, home):
    from orchestrator.cluster.local.files import try_lock

    keep(RUNNING)
    lock = try_lock(ExperimentFolder(home.experiments).lock_path(Key("default", "aide-lite")))
    assert lock is not None
    assert "nothing is at work" not in mlectl("status", "aide-lite").out


def test_a_kubeconfig_that_cannot_be_read_does_not_hide_this_machine(mlectl, keep, tmp_path, monkeypatch):
    keep(RUNNING)
    (tmp_path / "kubeconfig").write_text("current-context: nowhere\n")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    answer = mlectl("status", "aide-lite")
    assert (answer.code, "41 graded" in answer.out) == (0, True)
    assert "Only this machine is looked at." in answer.err
    assert "has no context 'nowhere'" in answer.err


def test_a_plug_in_that_gives_no_credentials_does_not_hide_this_machine(mlectl, keep, tmp_path, monkeypatch):
    keep(RUNNING)
    plug_in = {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plug-in"}
    config = write_kubeconfig(tmp_path / "kubeconfig", "https://127.0.0.1:9", exec=plug_in)
    monkeypatch.setenv("KUBECONFIG", str(config))
    answer = mlectl("status", "aide-lite")
    assert (answer.code, "41 graded" in answer.out) == (0, True)
    assert "its plug-in no-such-plug-in gives no credentials" in answer.err
    assert mlectl("status", "aide-lite", "-n", "team").code == 3
