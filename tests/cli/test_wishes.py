"""Suspend, cancel and delete of experiments on this machine, and what is refused there."""

import subprocess
import sys

import pytest

from orchestrator.cluster.local.experiments import ExperimentFolder
from orchestrator.storage.open import open_store
from tests.cli.conftest import experiment
from tests.cli.stored import StoredExperiment
from tests.cli.test_run import WHOLE, wait_until

FINISHED = {"phase": "Succeeded", "runs": {"total": 1, "graded": 1}}


@pytest.fixture
def endless(tmp_path, home):
    """`endless()` starts `mlectl run` of an agent that never ends by itself, and waits until it is at work."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "start.sh").write_text("while true; do sleep 1; done\n")
    path = tmp_path / "endless.yaml"
    path.write_text(WHOLE.replace("wallClock: 30s", "wallClock: 1h").replace("name: whole", "name: endless"))
    command = [sys.executable, "-m", "orchestrator.cli", "run", str(path), "--agent-folder", str(folder)]
    started = []

    def start():
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        folder = ExperimentFolder(home.experiments)
        wait_until(lambda: any(run.status.runs.running for run in folder.list()) or process.poll() is not None)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_run_is_suspended_and_then_cancelled_from_another_terminal(mlectl, endless, home):
    first = endless()
    refused = mlectl("delete", "endless")
    assert (refused.code, "end that first: mlectl cancel endless" in refused.err) == (2, True)
    assert "as by Ctrl-C; go on with: mlectl run FILE" in mlectl("suspend", "endless").out
    _, told = first.communicate(timeout=120)
    assert first.returncode == 130, told
    assert "nothing is at work on it now" in mlectl("status", "endless").out

    second = endless()
    assert mlectl("cancel", "endless").code == 0
    _, told = second.communicate(timeout=120)
    assert second.returncode == 1, told
    assert "Cancelled" in mlectl("runs", "endless").out
    refused = mlectl("cancel", "endless")
    assert (refused.code, "there is nothing to cancel" in refused.err) == (2, True)
    assert mlectl("delete", "endless", "--results").code == 0
    assert list(open_store(home.stores.runs).keys("experiments/")) == []
    assert "No experiment yet" in mlectl("status").out
    assert not list(home.tasks.glob("*"))


@pytest.mark.parametrize("verb", ["cancel", "suspend"])
def test_what_nobody_is_at_work_on_can_neither_be_cancelled_nor_suspended(mlectl, keep, verb):
    keep(experiment(status={"phase": "Running"}))
    answer = mlectl(verb, "aide-lite")
    assert answer.code == 2
    assert f"Nothing is at work on aide-lite now, so there is nothing to {verb}" in answer.err


def test_resuming_and_retrying_is_running_again(mlectl, keep):
    row = {"competition": "AI4Code", "seed": 0, "state": "Failed", "reason": "NodeLost"}
    keep(experiment(status={"phase": "Degraded", "results": [row]}))
    for verb in ("resume", "retry"):
        answer = mlectl(verb, "aide-lite")
        assert answer.code == 2
        assert answer.err.endswith("mlectl run FILE\n")


def test_deleting_keeps_the_results_unless_they_are_asked_for(mlectl, keep, home):
    StoredExperiment(home, keep(experiment(status=FINISHED))).attempt("AI4Code", 0)
    assert "its results stay in the store" in mlectl("delete", "aide-lite").out
    assert mlectl("status", "aide-lite").code == 2
    store = open_store(home.stores.runs)
    kept = list(store.keys("experiments/"))
    assert kept
    other = keep(experiment(status=FINISHED))
    StoredExperiment(home, other).attempt("AI4Code", 0)
    assert "its results are gone too" in mlectl("delete", "aide-lite", "--results").out
    assert list(store.keys("experiments/")) == kept, "only those of the second one went"
